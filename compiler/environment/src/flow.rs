//! The flow graph of a function and its dominator tree, in which a question of dominance takes constant time.
//!
//! The tree is Lengauer and Tarjan's (simple version with path compression): O(n log n) whatever the graph is.

/// Blocks and edges, by the blocks' positions in the function; block 0 is the entry.
#[derive(Debug, Default)]
pub struct FlowGraph {
    /// Where each block may go.
    pub successors: Vec<Vec<u32>>,
    /// Where each block may be reached from; each edge counts, twice the same if it is there twice.
    pub predecessors: Vec<Vec<u32>>,
}

impl FlowGraph {
    /// A graph, given each block's successors.
    pub fn new(successors: Vec<Vec<u32>>) -> FlowGraph {
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (block, targets) in successors.iter().enumerate() {
            for &target in targets {
                predecessors[target as usize].push(block as u32);
            }
        }
        FlowGraph { successors, predecessors }
    }

    /// The blocks in reverse postorder, in which each comes after what dominates it; then those that can't be reached.
    pub fn order(&self) -> Vec<u32> {
        let count = self.successors.len();
        let mut seen = vec![false; count];
        let mut order = Vec::with_capacity(count);
        let mut stack: Vec<(u32, usize)> = Vec::new();
        if count > 0 {
            seen[0] = true;
            stack.push((0, 0));
        }
        while let Some((block, edge)) = stack.pop() {
            // The last edge is followed first, so that the others come before it in the end.
            let targets = &self.successors[block as usize];
            let Some(&target) = targets.len().checked_sub(edge + 1).and_then(|at| targets.get(at)) else {
                order.push(block);
                continue;
            };
            stack.push((block, edge + 1));
            if !std::mem::replace(&mut seen[target as usize], true) {
                stack.push((target, 0));
            }
        }
        order.reverse();
        order.extend((0..count as u32).filter(|&block| !seen[block as usize]));
        order
    }
}

/// Who dominates whom.
#[derive(Debug)]
pub struct Dominators {
    /// The immediate dominator; the entry's is itself, and that of an unreachable block is `NONE`.
    idom: Vec<u32>,
    /// Preorder number in the tree, and the largest one below.
    range: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;

impl Dominators {
    /// The dominator tree of a graph.
    pub fn new(graph: &FlowGraph) -> Dominators {
        let count = graph.successors.len();
        let mut search = Search::new(graph);
        let idom = search.dominators(graph);
        let mut children = vec![Vec::new(); count];
        for (block, &parent) in idom.iter().enumerate().skip(1) {
            if parent != NONE {
                children[parent as usize].push(block as u32);
            }
        }
        let mut range = vec![(NONE, 0); count];
        let mut next = 0;
        let mut stack = if count == 0 { Vec::new() } else { vec![(0u32, 0usize)] };
        while let Some((block, child)) = stack.pop() {
            if child == 0 {
                range[block as usize].0 = next;
                next += 1;
            }
            match children[block as usize].get(child) {
                Some(&below) => stack.extend([(block, child + 1), (below, 0)]),
                None => range[block as usize].1 = next - 1,
            }
        }
        Dominators { idom, range }
    }

    /// Can the block be reached from the entry?
    pub fn is_reachable(&self, block: u32) -> bool {
        self.idom[block as usize] != NONE
    }

    /// The block that dominates it most closely; `None` for the entry and unreachable blocks.
    pub fn immediate(&self, block: u32) -> Option<u32> {
        Some(self.idom[block as usize]).filter(|&idom| idom != NONE && block != 0)
    }

    /// Does each way from the entry to `b` go through `a`? Unreachable blocks are dominated by all.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        if !self.is_reachable(b) {
            return true;
        }
        let ((first, last), (at, _)) = (self.range[a as usize], self.range[b as usize]);
        self.is_reachable(a) && first <= at && at <= last
    }
}

/// Depth-first numbers, and what Lengauer and Tarjan keep for each of them.
struct Search {
    /// Blocks by depth-first number.
    vertex: Vec<u32>,
    /// Depth-first number by block.
    number: Vec<u32>,
    parent: Vec<u32>,
    semi: Vec<u32>,
    label: Vec<u32>,
    ancestor: Vec<u32>,
}

impl Search {
    fn new(graph: &FlowGraph) -> Search {
        let count = graph.successors.len();
        let mut search = Search {
            vertex: Vec::new(),
            number: vec![NONE; count],
            parent: Vec::new(),
            semi: Vec::new(),
            label: Vec::new(),
            ancestor: Vec::new(),
        };
        let mut stack = if count == 0 { Vec::new() } else { vec![(0u32, 0u32)] };
        while let Some((block, from)) = stack.pop() {
            if search.number[block as usize] != NONE {
                continue;
            }
            let number = search.vertex.len() as u32;
            search.number[block as usize] = number;
            search.vertex.push(block);
            search.parent.push(from);
            stack.extend(graph.successors[block as usize].iter().map(|&next| (next, number)));
        }
        let reached = search.vertex.len() as u32;
        search.semi = (0..reached).collect();
        search.label = (0..reached).collect();
        search.ancestor = vec![NONE; reached as usize];
        search
    }

    /// The vertex of least semidominator on the way up from `v`, with the way shortened.
    fn eval(&mut self, v: u32) -> u32 {
        let mut way = Vec::new();
        let mut at = v;
        while self.ancestor[at as usize] != NONE && self.ancestor[self.ancestor[at as usize] as usize] != NONE {
            way.push(at);
            at = self.ancestor[at as usize];
        }
        while let Some(below) = way.pop() {
            let above = self.ancestor[below as usize];
            if self.semi[self.label[above as usize] as usize] < self.semi[self.label[below as usize] as usize] {
                self.label[below as usize] = self.label[above as usize];
            }
            self.ancestor[below as usize] = self.ancestor[above as usize];
        }
        if self.ancestor[v as usize] == NONE {
            v
        } else {
            self.label[v as usize]
        }
    }

    fn dominators(&mut self, graph: &FlowGraph) -> Vec<u32> {
        let reached = self.vertex.len();
        let mut buckets = vec![Vec::new(); reached];
        let mut dominator = vec![0u32; reached];
        for w in (1..reached as u32).rev() {
            for &predecessor in &graph.predecessors[self.vertex[w as usize] as usize] {
                let v = self.number[predecessor as usize];
                if v != NONE {
                    let u = self.eval(v);
                    self.semi[w as usize] = self.semi[w as usize].min(self.semi[u as usize]);
                }
            }
            buckets[self.semi[w as usize] as usize].push(w);
            let parent = self.parent[w as usize];
            self.ancestor[w as usize] = parent;
            for v in std::mem::take(&mut buckets[parent as usize]) {
                let u = self.eval(v);
                dominator[v as usize] = if self.semi[u as usize] < self.semi[v as usize] { u } else { parent };
            }
        }
        let mut idom = vec![NONE; graph.successors.len()];
        for w in 0..reached {
            if dominator[w] != self.semi[w] {
                dominator[w] = dominator[dominator[w] as usize];
            }
            idom[self.vertex[w] as usize] = self.vertex[dominator[w] as usize];
        }
        idom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dominance by its definition: `a` dominates `b` if `b` can't be reached without `a`.
    fn dominates_slowly(graph: &FlowGraph, a: u32, b: u32) -> bool {
        let mut seen = vec![false; graph.successors.len()];
        let mut stack = if a == 0 { vec![] } else { vec![0] };
        while let Some(block) = stack.pop() {
            if block != a && !std::mem::replace(&mut seen[block as usize], true) {
                stack.extend(&graph.successors[block as usize]);
            }
        }
        !seen[b as usize]
    }

    #[test]
    fn agrees_with_the_definition() {
        let mut state = 1u64;
        let mut random = move |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..300 {
            let count = 1 + random(12);
            let graph = FlowGraph::new((0..count).map(|_| (0..random(4)).map(|_| random(count) as u32).collect()).collect());
            let dominators = Dominators::new(&graph);
            let order = graph.order();
            let place = |block: u32| order.iter().position(|&at| at == block);
            assert_eq!((order.len(), order[0]), (graph.successors.len(), 0));
            for block in 0..count as u32 {
                assert!(
                    dominators.immediate(block).is_none_or(|above| place(above) < place(block)),
                    "{graph:?}: {order:?}"
                );
            }
            for a in 0..count as u32 {
                for b in 0..count as u32 {
                    if dominators.is_reachable(a) {
                        assert_eq!(dominators.dominates(a, b), dominates_slowly(&graph, a, b), "{graph:?}: {a} {b}");
                    }
                }
            }
        }
    }
}
