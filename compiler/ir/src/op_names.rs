//! Names, in the text form, of the operations across lanes and work-items: those that name another operation or a lane too, as in
//! `inclusive_scan.add` and `extract.3`.

use super::op::{LaneOp, ReduceOp, SubGroupOp, WorkGroupOp};
use core::fmt::{self, Display, Formatter};

impl Display for SubGroupOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SubGroupOp::All => write!(f, "all"),
            SubGroupOp::Any => write!(f, "any"),
            SubGroupOp::AllEqual => write!(f, "all_equal"),
            SubGroupOp::Ballot => write!(f, "ballot"),
            SubGroupOp::Elect => write!(f, "elect"),
            SubGroupOp::Broadcast => write!(f, "broadcast"),
            SubGroupOp::BroadcastFirst => write!(f, "broadcast_first"),
            SubGroupOp::Shuffle => write!(f, "shuffle"),
            SubGroupOp::Reduce(op) => write!(f, "reduce.{op}"),
            SubGroupOp::InclusiveScan(op) => write!(f, "inclusive_scan.{op}"),
            SubGroupOp::ExclusiveScan(op) => write!(f, "exclusive_scan.{op}"),
            SubGroupOp::ClusteredReduce(op, size) => write!(f, "clustered_reduce.{op}.{size}"),
        }
    }
}

impl SubGroupOp {
    /// Reads the text form.
    pub fn parse(word: &str) -> Option<SubGroupOp> {
        let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
        let op = || ReduceOp::parse(suffix);
        Some(match name {
            "reduce" => SubGroupOp::Reduce(op()?),
            "inclusive_scan" => SubGroupOp::InclusiveScan(op()?),
            "exclusive_scan" => SubGroupOp::ExclusiveScan(op()?),
            "clustered_reduce" => {
                let (op, size) = suffix.split_once('.')?;
                SubGroupOp::ClusteredReduce(ReduceOp::parse(op)?, size.parse().ok()?)
            }
            _ => match word {
                "all" => SubGroupOp::All,
                "any" => SubGroupOp::Any,
                "all_equal" => SubGroupOp::AllEqual,
                "ballot" => SubGroupOp::Ballot,
                "elect" => SubGroupOp::Elect,
                "broadcast" => SubGroupOp::Broadcast,
                "broadcast_first" => SubGroupOp::BroadcastFirst,
                "shuffle" => SubGroupOp::Shuffle,
                _ => return None,
            },
        })
    }
}

impl Display for WorkGroupOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            WorkGroupOp::All => write!(f, "all"),
            WorkGroupOp::Any => write!(f, "any"),
            WorkGroupOp::Broadcast => write!(f, "broadcast"),
            WorkGroupOp::Shuffle => write!(f, "shuffle"),
            WorkGroupOp::Reduce(op) => write!(f, "reduce.{op}"),
            WorkGroupOp::InclusiveScan(op) => write!(f, "inclusive_scan.{op}"),
            WorkGroupOp::ExclusiveScan(op) => write!(f, "exclusive_scan.{op}"),
        }
    }
}

impl WorkGroupOp {
    /// Reads the text form.
    pub fn parse(word: &str) -> Option<WorkGroupOp> {
        let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
        let op = || ReduceOp::parse(suffix);
        Some(match name {
            "reduce" => WorkGroupOp::Reduce(op()?),
            "inclusive_scan" => WorkGroupOp::InclusiveScan(op()?),
            "exclusive_scan" => WorkGroupOp::ExclusiveScan(op()?),
            _ => match word {
                "all" => WorkGroupOp::All,
                "any" => WorkGroupOp::Any,
                "broadcast" => WorkGroupOp::Broadcast,
                "shuffle" => WorkGroupOp::Shuffle,
                _ => return None,
            },
        })
    }
}

impl Display for LaneOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            LaneOp::Splat => write!(f, "splat"),
            LaneOp::Iota => write!(f, "iota"),
            LaneOp::Extract(lane) => write!(f, "extract.{lane}"),
            LaneOp::ExtractDynamic => write!(f, "extract_dynamic"),
            LaneOp::Insert(lane) => write!(f, "insert.{lane}"),
            LaneOp::Permute => write!(f, "permute"),
            LaneOp::MaskBits => write!(f, "mask_bits"),
            LaneOp::BitsMask => write!(f, "bits_mask"),
            LaneOp::AnyTrue => write!(f, "any_true"),
            LaneOp::AllTrue => write!(f, "all_true"),
            LaneOp::Reduce(op) => write!(f, "reduce.{op}"),
            LaneOp::InclusiveScan(op) => write!(f, "inclusive_scan.{op}"),
            LaneOp::ExclusiveScan(op) => write!(f, "exclusive_scan.{op}"),
            LaneOp::Compress => write!(f, "compress"),
            LaneOp::Expand => write!(f, "expand"),
        }
    }
}

impl LaneOp {
    /// Reads the text form.
    pub fn parse(word: &str) -> Option<LaneOp> {
        let (name, suffix) = word.split_once('.').unwrap_or((word, ""));
        let op = || ReduceOp::parse(suffix);
        let lane = || suffix.parse::<u16>().ok();
        Some(match name {
            "extract" => LaneOp::Extract(lane()?),
            "insert" => LaneOp::Insert(lane()?),
            "reduce" => LaneOp::Reduce(op()?),
            "inclusive_scan" => LaneOp::InclusiveScan(op()?),
            "exclusive_scan" => LaneOp::ExclusiveScan(op()?),
            _ => match word {
                "splat" => LaneOp::Splat,
                "iota" => LaneOp::Iota,
                "extract_dynamic" => LaneOp::ExtractDynamic,
                "permute" => LaneOp::Permute,
                "mask_bits" => LaneOp::MaskBits,
                "bits_mask" => LaneOp::BitsMask,
                "any_true" => LaneOp::AnyTrue,
                "all_true" => LaneOp::AllTrue,
                "compress" => LaneOp::Compress,
                "expand" => LaneOp::Expand,
                _ => return None,
            },
        })
    }
}
