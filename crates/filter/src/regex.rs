//! Matching of [`regex_pattern`](duet_text::regex_pattern) where the store has no regular expressions.

use duet_text::effort::{Effort, Interruption};
use regex::{Regex, RegexBuilder};
use regex_automata::Input;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::syntax;

pub(crate) use duet_text::regex_pattern::{PatternError, read};

/// Longer texts are matched in steps, which can be stopped.
const SHORT: usize = 4 << 10;

/// How many bytes lie between two looks at the effort.
const STRETCH: usize = 256;

/// A compiled pattern.
#[derive(Debug)]
pub struct Matcher {
    /// For short texts.
    regex: Regex,
    /// For long texts: the time is proportional to their length, times the length of the pattern at most.
    steps: DFA,
}

/// The matcher of a pattern printed by [`read`]; `None` for an invalid pattern.
pub fn compile(printed: &str) -> Option<Matcher> {
    let regex = RegexBuilder::new(printed).dot_matches_new_line(true).build().ok()?;
    let syntax = syntax::Config::new().dot_matches_new_line(true);
    let steps = DFA::builder().syntax(syntax).build(printed).ok()?;
    Some(Matcher { regex, steps })
}

impl Matcher {
    /// Whether a part of a text matches.
    ///
    /// # Errors
    /// [`Interruption`] where the effort is over.
    pub fn matches(&self, text: &str, effort: &Effort<'_>) -> Result<bool, Interruption> {
        if text.len() <= SHORT {
            effort.spend(text.len())?;
            return Ok(self.regex.is_match(text));
        }
        match self.step_through(text, effort)? {
            Some(matches) => Ok(matches),
            // The patterns that are taken have no such place.
            None => Ok(self.regex.is_match(text)),
        }
    }

    /// Whether it matches; `None` where that cannot be decided in steps.
    fn step_through(&self, text: &str, effort: &Effort<'_>) -> Result<Option<bool>, Interruption> {
        let mut cache = self.steps.create_cache();
        let Ok(mut state) = self.steps.start_state_forward(&mut cache, &Input::new(text)) else {
            return Ok(None);
        };
        let mut memory = cache.memory_usage();
        for stretch in text.as_bytes().chunks(STRETCH) {
            for byte in stretch {
                let Ok(next) = self.steps.next_state(&mut cache, state, *byte) else {
                    return Ok(None);
                };
                state = next;
                if state.is_tagged() {
                    if state.is_match() {
                        return Ok(Some(true));
                    } else if state.is_dead() {
                        return Ok(Some(false));
                    } else if state.is_quit() {
                        return Ok(None);
                    }
                }
            }
            effort.spend(stretch.len() + grown(&cache, &mut memory))?;
        }
        let end = self.steps.next_eoi_state(&mut cache, state);
        Ok(end.ok().map(|state| state.is_match()))
    }
}

/// By how much the states of a matcher have grown: making one takes longer than a step between known ones.
fn grown(cache: &Cache, memory: &mut usize) -> usize {
    let now = cache.memory_usage();
    now.saturating_sub(std::mem::replace(memory, now))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        let printed = read(pattern).unwrap().printed;
        compile(&printed).unwrap().matches(text, &Effort::unlimited()).unwrap()
    }

    #[test]
    fn what_is_printed_compiles() {
        for pattern in [
            "",
            "a.c",
            r"^\d+(st|nd)$",
            r"[^a\-z-~\]]{2,}",
            "(?:ab){3,4}|",
            r"[[:digit:]\s_]",
            r"\W\.\n",
        ] {
            let printed = read(pattern).unwrap().printed;
            assert!(compile(&printed).is_some(), "{printed}");
        }
        assert!(matches("a.c", "a\nc"));
        assert!(compile("(").is_none());
    }

    /// A pattern with many states, over a text that reaches ever new ones.
    #[test]
    fn a_match_ends_where_it_is_told_to() {
        let pattern = compile("(?:a|b)*a(?:a|b){200}c").unwrap();
        let mut bits = 1_u32;
        let text: String = std::iter::repeat_with(|| {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if bits >> 31 == 0 { 'a' } else { 'b' }
        })
        .take(100_000)
        .collect();
        let asked = Cell::new(0);
        let is_over = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        assert_eq!(pattern.matches(&text, &Effort::until(&is_over)), Err(Interruption));
        assert_eq!(asked.get(), 3);
    }

    proptest! {
        #[test]
        fn long_texts_match_as_short_ones(
            pattern in "\\^?[abé.]{0,3}(\\(a\\|b\\)\\+)?[ab]?\\$?",
            text in "[abcé\n]{0,12}",
            ahead in any::<bool>(),
        ) {
            let filler = "x".repeat(SHORT);
            let long = if ahead { format!("{filler}{text}") } else { format!("{text}{filler}") };
            let printed = read(&pattern).unwrap().printed;
            let compiled = compile(&printed).unwrap();
            let stepped = compiled.step_through(&long, &Effort::unlimited()).unwrap();
            prop_assert_eq!(stepped, Some(compiled.regex.is_match(&long)));
        }
    }
}
