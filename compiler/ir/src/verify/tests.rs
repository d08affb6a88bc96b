use super::*;

fn messages(func: &Function) -> String {
    verify(func, None).expect_err("the function breaks a rule").to_string()
}

#[test]
fn names_the_instruction_and_the_rule() {
    let mut func = Function::new("f", Level::WorkItem, &[Type::I32]);
    let entry = func.add_block();
    let (a, b) = (func.add_param(entry, Type::I32), func.add_param(entry, Type::I64));
    let args = [a, b];
    let sum = func.append(entry, InstData::Binary { op: BinaryOp::Add, args }, Flags::empty());
    let sum = func.result(sum);
    Builder::new(&mut func, entry).ret(&[sum]);
    let text = messages(&func);
    assert!(
        text.contains("@f") && text.contains("block0: `v2 = add v0, v1`: v1 has type i64"),
        "{text}"
    );
}

#[test]
fn uses_must_be_dominated() {
    let mut func = Function::new("f", Level::WorkItem, &[Type::I32]);
    let (entry, left, join) = (func.add_block(), func.add_block(), func.add_block());
    let condition = func.add_param(entry, Type::MASK);
    Builder::new(&mut func, entry).branch(condition, to(left, &[]), to(join, &[]));
    let mut b = Builder::new(&mut func, left);
    let value = b.i32(1);
    b.jump(join, &[]);
    Builder::new(&mut func, join).ret(&[value]);
    let text = messages(&func);
    assert!(text.contains("v1, defined in block1, does not dominate"), "{text}");
}

#[test]
fn levels_differ_in_what_they_allow() {
    for level in [Level::WorkItem, Level::Gang, Level::WorkGroup] {
        let mut func = Function::new("f", level, &[]);
        let entry = func.add_block();
        let mut b = Builder::new(&mut func, entry);
        b.builtin(Builtin::GlobalId, 1);
        b.constant(Type::vector(Elem::F32, 8), 0);
        b.ret(&[]);
        // Gangs have both.
        let Err(error) = verify(&func, None) else {
            assert_eq!(level, Level::Gang);
            continue;
        };
        let text = error.to_string();
        assert_eq!(
            text.contains("stands at the work-item level only"),
            level == Level::WorkGroup,
            "{text}"
        );
        assert_eq!(text.contains("every type has one lane"), level == Level::WorkItem, "{text}");
    }
}

#[test]
fn blocks_and_jumps_are_checked() {
    let mut func = Function::new("f", Level::WorkItem, &[]);
    assert!(messages(&func).contains("at least one block"));
    let (entry, next) = (func.add_block(), func.add_block());
    func.add_param(next, Type::I32);
    Builder::new(&mut func, entry).jump(next, &[]);
    assert!(messages(&func).contains("block1: the block is empty"));
    Builder::new(&mut func, next).jump(entry, &[]);
    assert!(messages(&func).contains("the entry block can't be jumped to"));
    *func.terminator_mut(next) = InstData::Return { values: ValueList::new() };
    assert!(messages(&func).contains("block1 has 1 parameters, but gets 0 arguments"));
    let dead = func.append(
        next,
        InstData::Fence {
            order: Order::Acquire,
            scope: Scope::Device,
        },
        Flags::empty(),
    );
    assert!(messages(&func).contains("a terminator stands at a block's end only"), "{dead}");
}

#[test]
fn calls_hand_on_what_the_function_takes_and_words_behind_it() {
    let with_args = |args: &str| {
        let text = format!(
            "fn0 = function workitem @caller {{\nblock0(v0: i64, v1: i32):\n  v2 = call fn1({args}) -> i32\n  return\n}}
fn1 = function workitem @callee -> i32 {{\nblock0(v0: i32):\n  return v0\n}}\n"
        );
        let module = crate::parse::parse_module(&text).expect("the test's text is IR");
        let caller = module.functions.values().next().expect("a function").clone();
        verify(&caller, Some(&module)).map_err(|error| error.to_string())
    };
    assert_eq!([with_args("v1"), with_args("v1, v0, v0")], [Ok(()), Ok(())]);
    for wrong in ["", "v0", "v1, v1"] {
        assert!(with_args(wrong).is_err(), "{wrong}");
    }
}
