//! The words of generated texts. They are invented, or names of places and things.

use std::sync::LazyLock;

use super::random::RowRandom;

const TEXT: &str = include_str!("../../data/words/names.txt");

/// All lists.
pub static WORDS: LazyLock<Words> = LazyLock::new(Words::read);

/// Lists of words, each without duplicates.
#[derive(Debug)]
pub struct Words {
    /// 1,000 first names.
    pub first_names: Vec<String>,
    /// 1,000 last names.
    pub last_names: Vec<String>,
    /// The same in lower case, for e-mail addresses.
    pub first_lower: Vec<String>,
    /// The same in lower case, for e-mail addresses.
    pub last_lower: Vec<String>,
    /// 515 towns.
    pub towns: Vec<String>,
    /// 90 counties.
    pub counties: Vec<String>,
    /// 79 countries.
    pub countries: Vec<&'static str>,
    /// Adjectives for streets.
    pub streets: Vec<&'static str>,
    /// 13 hobbies.
    pub hobbies: Vec<&'static str>,
    /// 15 e-mail providers.
    pub providers: Vec<&'static str>,
    /// Territories.
    pub territories: Vec<&'static str>,
    /// Codes of languages.
    pub languages: Vec<&'static str>,
    /// What products are like.
    pub adjectives: Vec<&'static str>,
    /// What products are.
    pub things: Vec<&'static str>,
    /// Small words for descriptions.
    pub prose: Vec<&'static str>,
    /// 40 states of America.
    pub states: Vec<&'static str>,
    /// 40 colours.
    pub colors: Vec<&'static str>,
    /// Beginnings of brands.
    pub brands: Vec<&'static str>,
}

impl Words {
    fn read() -> Self {
        let first_names = products("first");
        let last_names = products("last");
        let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
        let mut towns = products("town");
        towns.truncate(515);
        Self {
            first_lower: lower(&first_names),
            last_lower: lower(&last_names),
            first_names,
            last_names,
            towns,
            counties: products("county"),
            countries: list("countries"),
            streets: list("streets"),
            hobbies: list("hobbies"),
            providers: list("providers"),
            territories: list("territories"),
            languages: list("languages"),
            adjectives: list("product-adjectives"),
            things: list("product-things"),
            prose: list("prose"),
            states: list("states"),
            colors: list("colors"),
            brands: list("brands"),
        }
    }

    /// A text of small words, from `low` to `high` bytes.
    pub fn sentence(&self, row: RowRandom, low: usize, high: usize) -> String {
        let wanted = row.between(0, low as i64, high as i64) as usize;
        let mut text = String::with_capacity(wanted);
        for at in 1.. {
            let word = row.pick(at, &self.prose);
            if text.len() + 1 + word.len() > wanted {
                break;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
        }
        // The longest small word has seven letters: the text may be short by that.
        text.extend(std::iter::repeat_n('.', wanted - text.len()));
        text
    }
}

/// The words of a line.
fn list(name: &str) -> Vec<&'static str> {
    let line = TEXT.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.map(|line| line.split_whitespace().collect()).unwrap_or_default()
}

/// Every beginning with every ending, the endings varying first.
fn products(name: &str) -> Vec<String> {
    let endings = list(&format!("{name}-endings"));
    let with = |opening: &str| -> Vec<String> {
        endings.iter().map(|ending| format!("{opening}{ending}")).collect()
    };
    list(&format!("{name}-openings")).iter().flat_map(|opening| with(opening)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::random::TableKey;
    use super::*;

    fn unique<T: Ord + Clone>(words: &[T]) -> usize {
        let mut words = words.to_vec();
        words.sort();
        words.dedup();
        words.len()
    }

    #[test]
    fn as_many_as_promised() {
        let words = &*WORDS;
        assert_eq!(unique(&words.first_names), 1_000);
        assert_eq!(unique(&words.last_names), 1_000);
        assert_eq!(unique(&words.towns), 515);
        assert_eq!(unique(&words.counties), 90);
        assert_eq!(unique(&words.countries), 79);
        assert_eq!(unique(&words.hobbies), 13);
        assert_eq!(unique(&words.providers), 15);
        assert_eq!(unique(&words.states), 40);
        assert_eq!(unique(&words.colors), 40);
        for list in [&words.streets, &words.territories, &words.languages, &words.brands] {
            assert!(list.len() > 10 && unique(list) == list.len(), "{list:?}");
        }
        assert!(words.adjectives.len() * words.things.len() == 800);
    }

    #[test]
    fn sentences() {
        for row in 0..200 {
            let text = WORDS.sentence(TableKey::new(1, "t").row(row), 40, 150);
            assert!((40..=150).contains(&text.len()), "{text}");
        }
    }
}
