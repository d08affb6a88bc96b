//! Work in a child process: what it does to the process, and whether it comes back, is the child's own affair.

use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long a child may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `work` in a child of fork() and gives the text that it returns; or how the child ended instead, in words.
///
/// The calling process must have no other threads: the child has only this one.
pub fn run(work: impl FnOnce() -> Result<String, String>) -> Result<String, String> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(format!("no pipe: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: pipe2 has just made these, and nobody else has them.
    let (output, input) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: there are no other threads, whose locks the child could miss.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(format!("no process: {}", std::io::Error::last_os_error())),
        0 => {
            let (code, text) = match work() {
                Ok(text) => (0, text),
                Err(text) => (1, text),
            };
            let _ = std::io::Write::write_all(&mut File::from(input), text.as_bytes());
            // SAFETY: ends the process without running what the parent has registered for its own end.
            unsafe { libc::_exit(code) }
        }
        child => {
            drop(input);
            wait(child, output)
        }
    }
}

fn wait(child: libc::pid_t, output: OwnedFd) -> Result<String, String> {
    let ended = Instant::now() + PATIENCE;
    let mut status = 0;
    // What children say fits a pipe, so that they never wait for a reader.
    // SAFETY: the child is ours, and the status has room.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
        if Instant::now() > ended {
            // SAFETY: the child has not been waited for yet, so that its number is still its own.
            unsafe {
                libc::kill(child, libc::SIGKILL);
                libc::waitpid(child, &mut status, 0);
            }
            return Err(format!("did not end within {} seconds", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut text = String::new();
    let _ = File::from(output).read_to_string(&mut text);
    if libc::WIFSIGNALED(status) {
        return Err(format!("ended by signal {}", libc::WTERMSIG(status)));
    }
    match libc::WEXITSTATUS(status) {
        0 => Ok(text),
        _ if !text.is_empty() => Err(text),
        code => Err(format!("ended with exit code {code}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_answer_refuse_and_crash() {
        assert_eq!(run(|| Ok("yes".into())), Ok("yes".into()));
        assert_eq!(run(|| Err("no".into())), Err("no".into()));
        // SAFETY: the child's own end.
        let crashed = run(|| unsafe { libc::abort() });
        assert_eq!(crashed, Err("ended by signal 6".into()));
    }
}
