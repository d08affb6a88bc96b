//! A run of the benchmarks as JSON: what `docs/plot.py` draws pictures from.

use crate::limits::Resource;
use brolga_tests::Device;
use brolga_tests::cl_sys::*;
use std::fmt::Write;
use std::process::Command;

/// A device, and what was measured on it.
pub struct Column {
    pub platform: String,
    pub device: String,
    /// CL_DRIVER_VERSION
    pub driver: String,
    /// CL_DEVICE_VERSION
    pub opencl: String,
    /// What came of each row that the process got to: a number, or `error` and why.
    pub values: std::collections::HashMap<String, String>,
}

impl Column {
    pub fn of(device: &Device) -> Column {
        Column {
            platform: device.platform_info(CL_PLATFORM_NAME).map(|info| info.text()).unwrap_or_default(),
            device: device.text(CL_DEVICE_NAME),
            driver: device.text(CL_DRIVER_VERSION),
            opencl: device.text(CL_DEVICE_VERSION),
            values: Default::default(),
        }
    }

    /// The number of a row; none where it failed.
    pub fn number(&self, row: &str) -> Option<f64> {
        self.values.get(row)?.parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// A row.
pub struct Kind {
    pub family: String,
    pub name: String,
    pub unit: String,
    pub more_is_better: bool,
    /// See [`crate::Row::needs`].
    pub needs: Vec<(Resource, f64)>,
    /// The most that the machine can do in the row's unit, and what there is too little of.
    pub limit: Option<(f64, Resource)>,
}

/// What a program prints, without the end of its line; nothing where there is no such program.
fn printed(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control < ' ' => write!(quoted, "\\u{:04x}", control as u32).expect("a string"),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

fn or_null(value: Option<String>) -> String {
    value.unwrap_or_else(|| "null".into())
}

/// The run: when and on what it was, each driver with its version, each row with a value for each driver (null where there is none).
pub fn json(filter: &str, columns: &[Column], rows: &[Kind], limits: &[(Resource, f64)]) -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let machine = cpuinfo
        .lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split(": ").nth(1));
    let drivers = columns.iter().map(|column| {
        let fields = [
            ("platform", &column.platform),
            ("device", &column.device),
            ("driver", &column.driver),
            ("opencl", &column.opencl),
        ];
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("\"{name}\": {}", quoted(value)))
            .collect();
        format!("  {{{}}}", fields.join(", "))
    });
    let rows = rows.iter().map(|row| {
        let number = |number: f64| number.to_string();
        let values: Vec<String> = columns.iter().map(|column| or_null(column.number(&row.name).map(number))).collect();
        format!(
            "  {{\"name\": {}, \"family\": {}, \"unit\": {}, \"more_is_better\": {}, \"values\": [{}], \"limit\": {}, \"limited_by\": {}}}",
            quoted(&row.name),
            quoted(&row.family),
            quoted(&row.unit),
            row.more_is_better,
            values.join(", "),
            or_null(row.limit.map(|(most, _)| number(most))),
            or_null(row.limit.map(|(_, resource)| quoted(&resource.to_string())))
        )
    });
    let limits = limits
        .iter()
        .map(|(resource, rate)| format!("  {{\"name\": {}, \"a_second\": {rate}}}", quoted(&resource.to_string())));
    let facts = [
        ("date", or_null(printed("date", &["-u", "+%Y-%m-%d"]).map(|date| quoted(&date)))),
        (
            "commit",
            or_null(printed("git", &["describe", "--always", "--dirty"]).map(|commit| quoted(&commit))),
        ),
        ("machine", or_null(machine.map(quoted))),
        (
            "processors",
            std::thread::available_parallelism().map_or(1, usize::from).to_string(),
        ),
        (
            "command",
            quoted(&if filter.is_empty() {
                "make bench".to_owned()
            } else {
                format!("make bench ONLY='{filter}'")
            }),
        ),
        ("drivers", list(drivers)),
        ("rows", list(rows)),
        ("limits", list(limits)),
    ];
    let facts: Vec<String> = facts.iter().map(|(name, value)| format!(" \"{name}\": {value}")).collect();
    format!("{{\n{}\n}}\n", facts.join(",\n"))
}

fn list(lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        "[]".into()
    } else {
        format!("[\n{}\n ]", lines.join(",\n"))
    }
}
