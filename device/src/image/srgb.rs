//! The sRGB colour space (OpenCL C, section "sRGB Images").

use once_cell::race::OnceBox;

/// An sRGB byte as a linear number.
fn srgb_to_linear(byte: u8) -> f32 {
    let value = f64::from(byte) / 255.0;
    let linear = if value <= 0.04045 {
        value / 12.92
    } else {
        libm::pow((value + 0.055) / 1.055, 2.4)
    };
    linear as f32
}

/// [`srgb_to_linear`] of each byte.
pub fn srgb_table() -> &'static [f32; 256] {
    static TABLE: OnceBox<[f32; 256]> = OnceBox::new();
    TABLE.get_or_init(|| Box::new(core::array::from_fn(|byte| srgb_to_linear(byte as u8))))
}

/// A linear number as an sRGB number from 0 to 1.
pub extern "C" fn linear_to_srgb(linear: f32) -> f32 {
    let value = f64::from(linear);
    if value >= 1.0 {
        1.0
    } else if value >= 0.0031308 {
        (1.055 * libm::pow(value, 1.0 / 2.4) - 0.055) as f32
    } else if value > 0.0 {
        (12.92 * value) as f32
    } else {
        // Negative numbers, and NaN.
        0.0
    }
}
