//! Generated scripts against a small interpreter: whatever the reader shows unmarked did run, with that very argument.
//!
//! The scripts have assignments, shadowing, branches on what only running tells, helpers, loops, `try`, `exit()`. The
//! interpreter below is of this little language alone, written for reading, not for speed.

#![cfg(test)]
#![expect(clippy::format_push_string, reason = "a script is read best as it is written")]

use std::collections::HashMap;

use larkspan_codex_adapter::exec::{ReadOutcome, read};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Text {
    Literal(u8),
    Variable(u8),
    /// `load("u")`: only running tells.
    Loaded(u8),
    Joined(Box<Text>, Box<Text>),
    Chosen(u8, Box<Text>, Box<Text>),
}

#[derive(Debug, Clone)]
enum Step {
    Declare(u8, Text),
    Assign(u8, Text),
    Call(Text),
    If(u8, Vec<Step>, Vec<Step>),
    Block(Vec<Step>),
    /// `for (const v of ["…", …])`.
    Each(u8, Vec<u8>, Vec<Step>),
    /// As often as only running tells.
    Times(u8, Vec<Step>),
    Helper(u8, Text),
    Try(Vec<Step>, Vec<Step>),
    Exit,
}

/// A script: two helpers with a parameter `v3`, and what it does.
#[derive(Debug, Clone)]
struct Script {
    helpers: [Vec<Step>; 2],
    steps: Vec<Step>,
}

fn text() -> impl Strategy<Value = Text> {
    let leaf = prop_oneof![
        (0u8..4).prop_map(Text::Literal),
        (0u8..4).prop_map(Text::Variable),
        (0u8..2).prop_map(Text::Loaded)
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.prop_map(|(a, b)| Text::Joined(a.into(), b.into())),
            (0u8..3, inner.clone(), inner).prop_map(|(c, a, b)| Text::Chosen(c, a.into(), b.into()))
        ]
    })
}

fn steps(helpers: bool) -> impl Strategy<Value = Vec<Step>> {
    let leaf = prop_oneof![
        2 => (0u8..4, text()).prop_map(|(v, t)| Step::Declare(v, t)),
        2 => (0u8..4, text()).prop_map(|(v, t)| Step::Assign(v, t)),
        4 => text().prop_map(Step::Call),
        if helpers { 2 } else { 0 } => (0u8..2, text()).prop_map(|(h, t)| Step::Helper(h, t)),
        1 => Just(Step::Exit),
    ];
    let step = leaf.prop_recursive(3, 24, 4, |inner| {
        let some = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (0u8..3, some(), some()).prop_map(|(c, a, b)| Step::If(c, a, b)),
            some().prop_map(Step::Block),
            (0u8..4, prop::collection::vec(0u8..4, 0..3), some()).prop_map(|(v, l, s)| Step::Each(v, l, s)),
            (0u8..2, some()).prop_map(|(n, s)| Step::Times(n, s)),
            (some(), some()).prop_map(|(a, b)| Step::Try(a, b)),
        ]
    });
    prop::collection::vec(step, 1..7)
}

fn script() -> impl Strategy<Value = Script> {
    (steps(false), steps(false), steps(true)).prop_map(|(a, b, steps)| Script { helpers: [a, b], steps })
}

// --- as JavaScript ---

fn source_of_text(text: &Text) -> String {
    match text {
        Text::Literal(n) => format!("'l{n}'"),
        Text::Variable(v) => format!("v{v}"),
        Text::Loaded(n) => format!("load('u{n}')"),
        Text::Joined(a, b) => format!("({} + {})", source_of_text(a), source_of_text(b)),
        Text::Chosen(c, a, b) => format!("(load('c{c}') ? {} : {})", source_of_text(a), source_of_text(b)),
    }
}

/// One scope's statements. What is declared twice in a scope is assigned the second time.
fn source_of_steps(steps: &[Step], declared: &mut Vec<u8>) -> String {
    let nested = |steps: &[Step]| source_of_steps(steps, &mut Vec::new());
    let mut out = String::new();
    for step in steps {
        out += &match step {
            Step::Declare(v, t) if !declared.contains(v) => {
                declared.push(*v);
                format!("let v{v} = {};\n", source_of_text(t))
            }
            Step::Declare(v, t) | Step::Assign(v, t) => format!("v{v} = {};\n", source_of_text(t)),
            Step::Call(t) => format!("await tools.exec_command({{cmd: {}}});\n", source_of_text(t)),
            Step::If(c, a, b) => format!("if (load('c{c}')) {{\n{}}} else {{\n{}}}\n", nested(a), nested(b)),
            Step::Block(s) => format!("{{\n{}}}\n", nested(s)),
            Step::Each(v, list, s) => {
                let list: Vec<String> = list.iter().map(|n| format!("'l{n}'")).collect();
                format!("for (let v{v} of [{}]) {{\n{}}}\n", list.join(", "), nested(s))
            }
            Step::Times(n, s) => format!("for (let i = 0; i < load('n{n}'); i++) {{\n{}}}\n", nested(s)),
            Step::Helper(h, t) => format!("await h{h}({});\n", source_of_text(t)),
            Step::Try(a, b) => format!("try {{\n{}}} catch (e) {{\n{}}}\n", nested(a), nested(b)),
            Step::Exit => "exit();\n".to_owned(),
        };
    }
    out
}

fn source_of(script: &Script) -> String {
    let mut out = String::new();
    for v in 0..4 {
        out += &format!("let v{v} = 'g{v}';\n");
    }
    for (h, body) in script.helpers.iter().enumerate() {
        out += &format!("async function h{h}(v3) {{\n{}}}\n", source_of_steps(body, &mut vec![3]));
    }
    out + &source_of_steps(&script.steps, &mut vec![0, 1, 2, 3])
}

// --- run ---

/// What only running tells.
struct World {
    loaded: [String; 2],
    conditions: [bool; 3],
    times: [u8; 2],
}

enum Stop {
    Exit,
    Thrown,
}

/// Scopes, innermost last. A variable without a value is declared further down in its scope.
type Scopes = Vec<HashMap<u8, Option<String>>>;

struct Run<'a> {
    world: &'a World,
    script: &'a Script,
    ran: Vec<String>,
}

impl Run<'_> {
    fn text(&self, text: &Text, scopes: &Scopes) -> Result<String, Stop> {
        Ok(match text {
            Text::Literal(n) => format!("l{n}"),
            Text::Variable(v) => {
                let value =
                    scopes.iter().rev().find_map(|scope| scope.get(v)).expect("all are declared outermost");
                value.clone().ok_or(Stop::Thrown)?
            }
            Text::Loaded(n) => self.world.loaded[usize::from(*n)].clone(),
            Text::Joined(a, b) => self.text(a, scopes)? + &self.text(b, scopes)?,
            Text::Chosen(c, a, _) if self.world.conditions[usize::from(*c)] => self.text(a, scopes)?,
            Text::Chosen(_, _, b) => self.text(b, scopes)?,
        })
    }

    /// The steps in a scope of their own, in which `given` is declared.
    fn scope(
        &mut self,
        steps: &[Step],
        scopes: &mut Scopes,
        given: Option<(u8, String)>,
    ) -> Result<(), Stop> {
        // A body is a block inside the scope of what a loop declares; a parameter is of the body itself.
        let mut scope = HashMap::new();
        for step in steps {
            if let Step::Declare(v, _) = step {
                scope.insert(*v, None);
            }
        }
        scope.extend(given.map(|(v, value)| (v, Some(value))));
        scopes.push(scope);
        let result = self.steps(steps, scopes);
        scopes.pop();
        result
    }

    fn steps(&mut self, steps: &[Step], scopes: &mut Scopes) -> Result<(), Stop> {
        steps.iter().try_for_each(|step| self.step(step, scopes))
    }

    fn step(&mut self, step: &Step, scopes: &mut Scopes) -> Result<(), Stop> {
        match step {
            Step::Declare(v, t) => {
                let value = self.text(t, scopes)?;
                scopes.last_mut().expect("a scope").insert(*v, Some(value));
            }
            Step::Assign(v, t) => {
                let value = self.text(t, scopes)?;
                let slot = scopes.iter_mut().rev().find_map(|scope| scope.get_mut(v)).expect("declared");
                *slot = Some(slot.is_some().then_some(value).ok_or(Stop::Thrown)?);
            }
            Step::Call(t) => {
                let cmd = self.text(t, scopes)?;
                self.ran.push(cmd);
            }
            Step::If(c, a, b) => {
                let branch = if self.world.conditions[usize::from(*c)] { a } else { b };
                self.scope(branch, scopes, None)?;
            }
            Step::Block(s) => self.scope(s, scopes, None)?,
            Step::Each(v, list, s) => {
                for n in list {
                    scopes.push(HashMap::from([(*v, Some(format!("l{n}")))]));
                    let result = self.scope(s, scopes, None);
                    scopes.pop();
                    result?;
                }
            }
            Step::Times(n, s) => {
                for _ in 0..self.world.times[usize::from(*n)] {
                    self.scope(s, scopes, None)?;
                }
            }
            Step::Helper(h, t) => {
                let given = self.text(t, scopes)?;
                let outside = scopes.split_off(1);
                let body = &self.script.helpers[usize::from(*h)];
                let result = self.scope(body, scopes, Some((3, given)));
                scopes.extend(outside);
                result?;
            }
            Step::Try(a, b) => match self.scope(a, scopes, None) {
                Err(Stop::Thrown) => self.scope(b, scopes, None)?,
                other => other?,
            },
            Step::Exit => return Err(Stop::Exit),
        }
        Ok(())
    }
}

/// The commands that ran, if the script completed.
fn run(script: &Script, world: &World) -> Option<Vec<String>> {
    let globals = (0..4).map(|v| (v, Some(format!("g{v}")))).collect();
    let mut run = Run { world, script, ran: Vec::new() };
    match run.steps(&script.steps, &mut vec![globals]) {
        Ok(()) | Err(Stop::Exit) => Some(run.ran),
        Err(Stop::Thrown) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_is_shown_unmarked_did_run(script in script(), conditions: [bool; 3], times in [0u8..3, 0u8..3]) {
        let world = World { loaded: ["x".into(), "y".into()], conditions, times };
        let source = source_of(&script);
        let reading = read(&source);
        prop_assert_eq!(&reading.outcome, &ReadOutcome::Parsed, "{}", source);
        if let Some(mut ran) = run(&script, &world) {
            prop_assert!(ran.is_empty() || !reading.calls.is_empty(), "a call is lost:\n{}", source);
            for call in reading.calls.iter().filter(|call| !call.maybe && !call.repeat && !call.unawaited) {
                let argument = call.argument.value().and_then(|argument| argument.get("cmd"));
                let Some(cmd) = argument.as_ref().and_then(|cmd| cmd.as_str()) else { continue };
                // Each run answers for one row.
                match ran.iter().position(|other| other == cmd) {
                    Some(at) => drop(ran.swap_remove(at)),
                    None => prop_assert!(false, "{cmd} is shown and did not run, or not so often:\n{source}"),
                }
            }
        }
    }
}
