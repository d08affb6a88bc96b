//! Every order of what `interleavings::models` describes, with at most so many places where a thread is interrupted: more find nothing new in models
//! so small, and take hours.

fn check(model: fn()) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

macro_rules! models {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(interleavings::$name);
        })*
    };
}

models! {
    a_lock_excludes
    a_notice_arrives
    a_sleeper_is_woken
    a_job_is_over_when_its_units_are
    what_follows_a_job_sees_it
    a_job_that_gives_up_is_over
    who_waits_is_seen_or_sees
    what_a_handle_stands_for_is_seen
    references_are_given_back_once
    what_a_command_did_is_seen_when_it_has_ended
    a_command_begins_after_all_that_it_waits_for
}
