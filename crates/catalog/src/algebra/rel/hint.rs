//! What OPTION and the words of joins say of a plan: how joins are to be run and in which order, for which values of variables the
//! plan is made, and whether it is kept.
//!
//! What always holds: a join that has a word of its own is in the order as written, and then all joins of its statement are
//! (`in_written_order`); a set of methods is never empty, because hints that leave no choice are refused when they are bound.

use std::sync::Arc;

use millpond_tsql::ast::JoinHint as Word;
use millpond_types::Value;

use crate::algebra::expr::{BoundExpr, Kind};
use crate::algebra::rel::Rel;

/// Ways to run a join, of which one is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinMethods {
    /// Nested loops.
    pub loops: bool,
    /// Hash match.
    pub hashes: bool,
    /// Merge join.
    pub merges: bool,
}

impl JoinMethods {
    /// Where nothing is said.
    pub const ALL: JoinMethods = JoinMethods { loops: true, hashes: true, merges: true };
    /// Loops alone.
    pub const LOOPS: JoinMethods = JoinMethods { loops: true, ..JoinMethods::NONE };
    const NONE: JoinMethods = JoinMethods { loops: false, hashes: false, merges: false };

    /// Those that a word of a join leaves. REMOTE leaves all: no table is elsewhere.
    #[must_use]
    pub fn of(word: Word) -> JoinMethods {
        match word {
            Word::Loop => JoinMethods::LOOPS,
            Word::Hash => JoinMethods { hashes: true, ..JoinMethods::NONE },
            Word::Merge => JoinMethods { merges: true, ..JoinMethods::NONE },
            Word::Remote => JoinMethods::ALL,
        }
    }

    /// Those that both leave; none where they contradict each other.
    #[must_use]
    pub fn within(self, other: JoinMethods) -> Option<JoinMethods> {
        let both = JoinMethods {
            loops: self.loops && other.loops,
            hashes: self.hashes && other.hashes,
            merges: self.merges && other.merges,
        };
        (both != JoinMethods::NONE).then_some(both)
    }

    /// Whether the rows of equal keys may be found by a hash table or side by side.
    #[must_use]
    pub fn allow_keys(self) -> bool {
        self.hashes || self.merges
    }

    /// Whether rows of equal keys are merged, whatever that costs.
    #[must_use]
    pub fn are_merges(self) -> bool {
        self.merges && !self.hashes
    }

    /// Whether loops are what is left.
    #[must_use]
    pub fn are_loops(self) -> bool {
        !self.allow_keys()
    }

    fn and(self, other: JoinMethods) -> JoinMethods {
        JoinMethods {
            loops: self.loops || other.loops,
            hashes: self.hashes || other.hashes,
            merges: self.merges || other.merges,
        }
    }
}

/// What is said of one join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinHint {
    /// How it may be run.
    pub methods: JoinMethods,
    /// Its left side comes first, and neither side is taken apart to find another order.
    pub in_order: bool,
}

impl Default for JoinHint {
    fn default() -> JoinHint {
        JoinHint { methods: JoinMethods::ALL, in_order: false }
    }
}

impl JoinHint {
    /// That of a join with a word.
    #[must_use]
    pub fn of(word: Option<Word>) -> JoinHint {
        word.map_or_else(JoinHint::default, |word| JoinHint { methods: JoinMethods::of(word), in_order: true })
    }
}

/// For which values of variables a plan is made, where not for those that they have.
#[derive(Debug, Default)]
pub struct Guesses {
    /// For none: OPTIMIZE FOR UNKNOWN.
    pub all_unknown: bool,
    /// For these, by slot; NULL: for none.
    pub values: Vec<(usize, Value)>,
}

impl Guesses {
    /// What a plan is to be made for where variables have these values; NULL for what is not to be known.
    #[must_use]
    pub fn instead_of(&self, values: &[Value]) -> Vec<Value> {
        let mut guessed = if self.all_unknown { vec![Value::Null; values.len()] } else { values.to_vec() };
        for (slot, value) in &self.values {
            guessed[*slot].clone_from(value);
        }
        guessed
    }
}

/// What OPTION says of the plan of a statement.
#[derive(Clone, Debug)]
pub struct QueryHints {
    /// MAXDOP
    pub max_degree: Option<u32>,
    /// How joins may be run: `LOOP JOIN`, `HASH JOIN`, `MERGE JOIN`.
    pub methods: JoinMethods,
    /// FORCE ORDER
    pub force_order: bool,
    /// Where the methods leave no plan, all are allowed: SET FORCEPLAN asks for loops.
    pub gives_way: bool,
    /// RECOMPILE: each execution has a plan of its own, in which the values of variables are literals.
    pub recompile: bool,
    /// OPTIMIZE FOR
    pub guesses: Option<Arc<Guesses>>,
    /// FAST: about so many rows are to come early.
    pub first_rows: Option<u64>,
}

impl Default for QueryHints {
    fn default() -> QueryHints {
        let (max_degree, methods, first_rows) = (None, JoinMethods::ALL, None);
        let (force_order, gives_way, recompile) = (false, false, false);
        QueryHints { max_degree, methods, force_order, gives_way, recompile, guesses: None, first_rows }
    }
}

impl QueryHints {
    /// Those of a statement without OPTION, under SET FORCEPLAN ON or OFF.
    #[must_use]
    pub fn of_session(forces_plan: bool) -> QueryHints {
        if !forces_plan {
            return QueryHints::default();
        }
        let methods = JoinMethods::of(Word::Loop);
        QueryHints { methods, force_order: true, gives_way: true, ..QueryHints::default() }
    }

    /// Those of OPTION, each as its upper-case words; what it leaves open is as the session has it. Variables have no names here: the
    /// binder adds what is said of them.
    #[must_use]
    pub fn of(options: &[String], session: &QueryHints) -> QueryHints {
        let word = |option: &String| match option.as_str() {
            "LOOP JOIN" => Some(Word::Loop),
            "HASH JOIN" => Some(Word::Hash),
            "MERGE JOIN" => Some(Word::Merge),
            _ => None,
        };
        let methods = options.iter().filter_map(word).map(JoinMethods::of).reduce(JoinMethods::and);
        let is_said = |words: &str| options.iter().any(|option| option == words);
        let number =
            |word: &str| options.iter().find_map(|option| option.strip_prefix(word)?.trim().parse::<u32>().ok());
        let has_no_goals = options.iter().any(|option| {
            option.starts_with("USE HINT") && option.to_uppercase().contains("'DISABLE_OPTIMIZER_ROWGOAL'")
        });
        QueryHints {
            max_degree: number("MAXDOP "),
            first_rows: number("FAST ").filter(|rows| *rows > 0 && !has_no_goals).map(u64::from),
            methods: methods.unwrap_or(session.methods),
            force_order: session.force_order || is_said("FORCE ORDER"),
            gives_way: session.gives_way && methods.is_none(),
            recompile: is_said("RECOMPILE"),
            guesses: None,
        }
    }

    /// The same for what one thread must do, if it must.
    #[must_use]
    pub fn on_one_thread(&self, must: bool) -> QueryHints {
        QueryHints { max_degree: if must { Some(1) } else { self.max_degree }, ..self.clone() }
    }

    /// Whether anything is said of joins.
    #[must_use]
    pub fn are_of_joins(&self) -> bool {
        self.force_order || self.methods != JoinMethods::ALL
    }
}

impl Rel {
    /// The relation with all its joins in the order as written, those of queries inside of it too.
    #[must_use]
    pub fn in_written_order(self) -> Rel {
        let mut rel = self.map_exprs(0, &mut |expr, _| in_written_order(expr));
        keep_order(&mut rel);
        rel
    }
}

fn keep_order(rel: &mut Rel) {
    if let Rel::Join { hint, .. } = rel {
        hint.in_order = true;
    }
    rel.relations_mut().into_iter().for_each(keep_order);
}

/// An expression whose queries have their joins in the order as written.
fn in_written_order(expr: BoundExpr) -> BoundExpr {
    let whole = |rel: Arc<Rel>| Arc::new(Arc::unwrap_or_clone(rel).in_written_order());
    expr.rewrite(&mut |BoundExpr { kind, ty }| match kind {
        Kind::ScalarQuery(rel) => Ok(BoundExpr { kind: Kind::ScalarQuery(whole(rel)), ty }),
        Kind::Exists(rel) => Ok(BoundExpr { kind: Kind::Exists(whole(rel)), ty }),
        Kind::InQuery(operand, rel, collation) => {
            let operand = Box::new(in_written_order(*operand));
            Ok(BoundExpr { kind: Kind::InQuery(operand, whole(rel), collation), ty })
        }
        kind => Err(BoundExpr { kind, ty }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &[&str]) -> QueryHints {
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        QueryHints::of(&options, &QueryHints::default())
    }

    #[test]
    fn option_says_more_than_the_session() {
        let session = QueryHints::of_session(true);
        assert!(session.force_order && session.methods.are_loops() && session.gives_way);
        let hashes = QueryHints::of(&["HASH JOIN".to_owned()], &session);
        assert!(hashes.force_order && hashes.methods.hashes && !hashes.methods.loops && !hashes.gives_way);
    }

    #[test]
    fn guesses_stand_in_the_place_of_values() {
        let [one, two] = [Value::Int(1), Value::Int(2)];
        let guesses = |all_unknown| Guesses { all_unknown, values: vec![(1, Value::Int(7))] };
        assert_eq!(guesses(false).instead_of(&[one.clone(), two.clone()]), [Value::Int(1), Value::Int(7)]);
        assert_eq!(guesses(true).instead_of(&[one, two]), [Value::Null, Value::Int(7)]);
    }

    #[test]
    fn several_words_of_option_leave_the_choice_between_them() {
        let hints = of(&["LOOP JOIN", "HASH JOIN", "MAXDOP 3"]);
        assert_eq!(hints.methods, JoinMethods { loops: true, hashes: true, merges: false });
        assert_eq!((hints.max_degree, hints.force_order, hints.are_of_joins()), (Some(3), false, true));
        assert_eq!(of(&["RECOMPILE", "HASH GROUP", "MERGE UNION"]).methods, JoinMethods::ALL);
        assert!(of(&["FORCE ORDER"]).are_of_joins() && !of(&["RECOMPILE"]).are_of_joins());
    }

    #[test]
    fn a_word_of_a_join_only_restricts_what_option_leaves() {
        let both = of(&["LOOP JOIN", "HASH JOIN"]).methods;
        let [hash, merge, remote] = [Word::Hash, Word::Merge, Word::Remote].map(JoinMethods::of);
        assert_eq!(both.within(hash), Some(hash));
        assert_eq!(both.within(merge), None);
        assert_eq!(both.within(remote), Some(both));
        assert!(hash.allow_keys() && merge.allow_keys() && JoinMethods::of(Word::Loop).are_loops());
    }
}
