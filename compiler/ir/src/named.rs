//! Enumerations whose values have a name in the text form.

/// Defines a plain enumeration with `name`, `parse`, `NAMES` and `Display`: `named! { pub enum Flag { On = "on", Off = "off" } }`.
macro_rules! named {
    ($(#[$attribute:meta])* pub enum $type:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal),+ $(,)? }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $type { $($(#[$of_variant])* $variant),+ }

        impl $type {
            /// Names in the text form.
            pub const NAMES: &[($type, &'static str)] = &[$(($type::$variant, $name)),+];
            /// Its name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }
            /// Reads the text form.
            pub fn parse(text: &str) -> Option<$type> {
                Self::NAMES.iter().find(|(_, name)| *name == text).map(|&(value, _)| value)
            }
        }

        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named;
