//! Benchmarks of every OpenCL device that the ICD loader finds, with checked results, in one table.
//!
//! Each device is measured in a process of its own: a driver that crashes ends its own column only.

mod images;
mod kernels;
mod latency;
mod limits;
mod transfers;

use brolga_tests::Device;
use brolga_tests::cl_sys::*;
use std::collections::HashMap;
use std::process::{Command, Stdio};

/// One measurement.
pub struct Row {
    pub name: String,
    pub unit: &'static str,
    /// Is a bigger number better?
    pub more_is_better: bool,
    pub value: Result<f64, String>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--device", index, filter] => measure(index.parse().expect("an index"), filter),
        ["--first-result", index] => latency::first_result(index.parse().expect("an index")),
        [] => compare(""),
        [filter] if !filter.starts_with('-') => compare(filter),
        _ => eprintln!("usage: bench [PART-OF-A-NAME]"),
    }
}

/// Everything on one device, a line a measurement.
fn measure(index: usize, filter: &str) {
    let device = Device::all()[index];
    let mut print = |row: Row| {
        let value = row.value.map_or_else(
            |error| format!("error {}", error.lines().next().unwrap_or_default()),
            |value| value.to_string(),
        );
        println!("{}\t{}\t{}\t{value}", row.name, row.unit, row.more_is_better);
    };
    latency::run(device, index, filter, &mut print);
    transfers::run(device, filter, &mut print);
    kernels::run(device, filter, &mut print);
    images::run(device, filter, &mut print);
}

/// This program again, for one device, with every driver's cache off.
fn again(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(arguments).envs([
        ("BROLGA_CACHE", "0"),
        ("POCL_KERNEL_CACHE", "0"),
        ("CL_CACHE_DISABLE", "1"),
        ("MESA_SHADER_CACHE_DISABLE", "1"),
    ]);
    command
}

fn compare(filter: &str) {
    let devices = Device::all();
    let named = |device: &Device| {
        let platform = device.platform_info(CL_PLATFORM_NAME).map(|info| info.text()).unwrap_or_default();
        (platform, device.text(CL_DEVICE_NAME))
    };
    let limits = limits::measure(filter);
    let mut columns: Vec<(String, HashMap<String, String>)> = Vec::new();
    let mut rows: Vec<(String, String, bool)> = Vec::new();
    for (index, device) in devices.iter().enumerate() {
        let (platform, name) = named(device);
        eprintln!("measuring {platform}: {name}");
        let output = again(&["--device", &index.to_string(), filter])
            .stderr(Stdio::null())
            .output()
            .expect("this program runs");
        let mut column = HashMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let [name, unit, more, value] = line.split('\t').collect::<Vec<_>>()[..] else {
                continue;
            };
            if !rows.iter().any(|row| row.0 == name) {
                rows.push((name.to_owned(), unit.to_owned(), more == "true"));
            }
            column.insert(name.to_owned(), value.to_owned());
        }
        columns.push((platform, column));
    }
    let Some(first) = columns
        .iter()
        .position(|(name, _)| name == "Brolga")
        .or((!columns.is_empty()).then_some(0))
    else {
        return eprintln!("no OpenCL device was found");
    };
    columns.swap(0, first);

    println!(
        "Numbers of {}; beside a peer's number, how many times better {} is.\n",
        columns[0].0, columns[0].0
    );
    print!("{:34} {:>9} {:>12}", "", "unit", shorten(&columns[0].0));
    columns[1..]
        .iter()
        .for_each(|(name, _)| print!(" {:>12} {:>8}", shorten(name), "ratio"));
    println!();
    let mut products = vec![(0.0, 0); columns.len()];
    for (name, unit, more) in &rows {
        print!("{name:34} {unit:>9}");
        let own = columns[0].1.get(name).and_then(|value| value.parse::<f64>().ok());
        for (i, (_, column)) in columns.iter().enumerate() {
            let value = column.get(name).map_or("crash", String::as_str);
            match value.parse::<f64>() {
                Ok(number) => print!(" {number:>12.2}"),
                Err(_) => print!(" {:>12}", value.split(' ').next().unwrap_or_default()),
            }
            if i == 0 {
                continue;
            }
            match (own, value.parse::<f64>()) {
                (Some(own), Ok(peer)) if own > 0.0 && peer > 0.0 => {
                    let ratio = if *more { own / peer } else { peer / own };
                    products[i].0 += ratio.ln();
                    products[i].1 += 1;
                    print!(" {ratio:>8.2}");
                }
                _ => print!(" {:>8}", "-"),
            }
        }
        println!();
    }
    print!("{:34} {:>9} {:>12}", "geometric mean of the ratios", "", "");
    products[1..]
        .iter()
        .for_each(|(sum, count)| print!(" {:>12} {:>8.2}", "", (sum / f64::from((*count).max(1))).exp()));
    println!();
    for limit in &limits {
        print!("without OpenCL, all processors: {} {:.1} {}", limit.name, limit.value, limit.unit);
        for row in limit.rows {
            if let Some(own) = columns[0].1.get(*row).and_then(|value| value.parse::<f64>().ok()) {
                print!("; {row} is {:.0} % of it", own / limit.value * 100.0);
            }
        }
        println!();
    }
    for (platform, column) in &columns {
        for (name, _, _) in &rows {
            match column.get(name).map(String::as_str) {
                Some(value) if value.starts_with("error") => println!("{platform}: {name}: {value}"),
                None => println!("{platform}: {name}: the process ended before"),
                _ => {}
            }
        }
    }
}

fn shorten(name: &str) -> &str {
    name.split([' ', '(']).next().unwrap_or(name)
}
