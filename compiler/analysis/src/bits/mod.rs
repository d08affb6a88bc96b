//! What integers take of their bits: which numbers they may be ([`ranges`]), where they are not negative ([`nonnegative`]), and how many of
//! their lower bits anybody looks at ([`demanded`]), and which have a single one ([`powers`]). Passes that compute in fewer bits ask here whether anything would be lost ([`exact`]).

pub mod demanded;
pub mod exact;
pub mod nonnegative;
pub mod powers;
pub mod ranges;

pub use demanded::Demanded;
