//! A line of the source, to be shown under a report.

use ir::SourcePlace;
use source::SOURCE_NAME;

/// Lines longer than this are cut: minified sources have one line.
const LONGEST: usize = 160;

/// The line of a place, if the program's source, or the file that the module names, has it.
pub fn line(source: Option<&str>, place: &SourcePlace) -> Option<String> {
    let number = (place.line as usize).checked_sub(1)?;
    let whole = match source {
        Some(text) if *place.file == *SOURCE_NAME => text.lines().nth(number)?.to_owned(),
        _ => std::fs::read_to_string(&*place.file).ok()?.lines().nth(number)?.to_owned(),
    };
    (whole.len() <= LONGEST).then_some(whole)
}

/// The line and a caret under its column.
pub fn with_caret(line: &str, place: &SourcePlace) -> String {
    let number = place.line.to_string();
    let mut text = format!("  {number} | {line}\n");
    if let Some(before) = (place.column as usize).checked_sub(1) {
        let lead: String = line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        text += &format!("  {} | {lead}^\n", " ".repeat(number.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_column_also_behind_tabs() {
        let place = SourcePlace {
            file: "a.cl".into(),
            line: 12,
            column: 4,
            function: "k".into(),
        };
        assert_eq!(with_caret("\tx y = z;", &place), "  12 | \tx y = z;\n     | \t  ^\n");
    }
}
