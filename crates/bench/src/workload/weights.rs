//! Resolves the requested weights: a preset, a custom mix, types enabled and disabled.

use super::TransactionType;

/// Named weights.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Weights by short name. Other types are disabled.
    pub weights: &'static [(&'static str, f64)],
    /// Types with a weight that run only on request.
    pub disabled: &'static [&'static str],
    /// Thresholds of its runs, where none are given.
    pub limits: &'static [&'static str],
}

/// A user's request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MixOptions {
    /// A preset's name; by default the workload's first preset, or the weights of its types.
    pub preset: Option<String>,
    /// Exactly these types with these weights; empty for the preset's.
    pub mix: Vec<(String, f64)>,
    /// Short names of types to enable that the preset disables.
    pub enable: Vec<String>,
    /// Short names of types to disable.
    pub disable: Vec<String>,
}

impl MixOptions {
    /// Sets the types' weights.
    ///
    /// # Errors
    /// In words for the user, all names and weights that are invalid, or that no type is left to run.
    pub fn apply(&self, kinds: &mut [TransactionType], presets: &[Preset]) -> Result<(), String> {
        let preset = match &self.preset {
            Some(name) => {
                let found = presets.iter().find(|preset| preset.name == name);
                Some(found.ok_or_else(|| unknown_preset(name, presets))?)
            }
            None => presets.first(),
        };
        let full: Vec<f64> = match preset {
            Some(preset) => kinds.iter().map(|kind| preset.weight(&kind.short)).collect(),
            None => kinds.iter().map(|kind| kind.weight).collect(),
        };
        kinds.iter_mut().zip(&full).for_each(|(kind, weight)| kind.weight = *weight);
        for name in preset.map(|preset| preset.disabled).unwrap_or_default() {
            kinds.iter_mut().filter(|kind| kind.short == *name).for_each(|kind| kind.weight = 0.0);
        }
        self.check(kinds)?;
        if !self.mix.is_empty() {
            kinds.iter_mut().for_each(|kind| kind.weight = 0.0);
        }
        for (name, weight) in &self.mix {
            place_of(name, kinds).into_iter().for_each(|place| kinds[place].weight = *weight);
        }
        for place in self.enable.iter().filter_map(|name| place_of(name, kinds)).collect::<Vec<_>>()
        {
            if kinds[place].weight == 0.0 {
                kinds[place].weight = full[place];
            }
        }
        for name in &self.disable {
            place_of(name, kinds).into_iter().for_each(|place| kinds[place].weight = 0.0);
        }
        match kinds.iter().any(|kind| kind.weight > 0.0) {
            true => Ok(()),
            false => Err("every type has the weight 0: nothing is left to run".into()),
        }
    }
}

impl MixOptions {
    /// Checks all names and weights.
    fn check(&self, kinds: &[TransactionType]) -> Result<(), String> {
        let is_wrong = |weight: &f64| !weight.is_finite() || *weight < 0.0;
        let weights = self.mix.iter().map(|(_, weight)| weight).filter(|weight| is_wrong(weight));
        let mut wrong: Vec<String> =
            weights.map(|weight| format!("{weight} is not a weight")).collect();
        let mixed = self.mix.iter().map(|(name, _)| name);
        let names = mixed.chain(&self.enable).chain(&self.disable);
        let missing: Vec<String> = names
            .filter(|name| place_of(name, kinds).is_none())
            .map(|name| format!("{:?}", name.trim()))
            .collect();
        if !missing.is_empty() {
            let are = if missing.len() == 1 { "is no type" } else { "are no types" };
            let known: Vec<&str> = kinds.iter().map(|kind| kind.short.as_str()).collect();
            let (missing, known) = (missing.join(", "), known.join(", "));
            wrong.push(format!("there {are} {missing}: there are {known}"));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    }

    /// Weights of a workload without presets: as requested, or these defaults.
    ///
    /// # Errors
    /// As [`MixOptions::apply`], and if a preset or its types are requested.
    pub fn weights(&self, usual: &[(&str, f64)]) -> Result<Vec<f64>, String> {
        let given = [("--preset", self.preset.is_some()), ("--enable", !self.enable.is_empty())];
        if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
            return Err(format!(
                "`{flag}` has no meaning here: there are no presets; weights are set by --mix"
            ));
        }
        let mut kinds: Vec<TransactionType> = usual
            .iter()
            .map(|(short, weight)| TransactionType::new(short, short, *weight))
            .collect();
        self.apply(&mut kinds, &[])?;
        Ok(kinds.iter().map(|kind| kind.weight).collect())
    }
}

impl Preset {
    fn weight(&self, short: &str) -> f64 {
        self.weights.iter().find(|(name, _)| *name == short).map_or(0.0, |(_, weight)| *weight)
    }
}

fn place_of(name: &str, kinds: &[TransactionType]) -> Option<usize> {
    kinds.iter().position(|kind| kind.short.eq_ignore_ascii_case(name.trim()))
}

fn unknown_preset(name: &str, presets: &[Preset]) -> String {
    let known: Vec<&str> = presets.iter().map(|preset| preset.name).collect();
    format!("there is no preset {name:?}: there are {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESETS: [Preset; 2] = [
        Preset { name: "usual", weights: &[("A", 3.0), ("B", 2.0)], disabled: &["B"], limits: &[] },
        Preset { name: "other", weights: &[("C", 1.0)], disabled: &[], limits: &[] },
    ];

    fn applied(wanted: &MixOptions) -> Result<Vec<f64>, String> {
        let mut kinds = ["A", "B", "C"].map(|name| TransactionType::new(name, name, 9.0));
        wanted.apply(&mut kinds, &PRESETS)?;
        Ok(kinds.iter().map(|kind| kind.weight).collect())
    }

    fn mix(mix: &[(&str, f64)]) -> MixOptions {
        let mix = mix.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect();
        MixOptions { mix, ..MixOptions::default() }
    }

    #[test]
    fn presets_mixes_and_names() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let usual = MixOptions::default();
        assert_eq!(applied(&usual).unwrap(), [3.0, 0.0, 0.0]);
        let enabled = MixOptions { enable: names(&["b"]), ..usual.clone() };
        assert_eq!(applied(&enabled).unwrap(), [3.0, 2.0, 0.0]);
        let disabled = MixOptions { disable: names(&["A"]), ..enabled };
        assert_eq!(applied(&disabled).unwrap(), [0.0, 2.0, 0.0]);
        let other = MixOptions { preset: Some("other".into()), ..usual };
        assert_eq!(applied(&other).unwrap(), [0.0, 0.0, 1.0]);
        assert_eq!(applied(&mix(&[("B", 1.5), ("c", 2.0)])).unwrap(), [0.0, 1.5, 2.0]);
        let mut own = [TransactionType::new("A", "A", 9.0)];
        MixOptions::default().apply(&mut own, &[]).unwrap();
        assert_eq!(own[0].weight, 9.0);
    }

    #[test]
    fn types_without_presets() {
        let usual = [("A", 1.0), ("B", 0.0)];
        assert_eq!(MixOptions::default().weights(&usual).unwrap(), [1.0, 0.0]);
        assert_eq!(mix(&[("b", 2.0)]).weights(&usual).unwrap(), [0.0, 2.0]);
        let disabled = MixOptions { disable: vec!["A".into()], ..MixOptions::default() };
        assert!(disabled.weights(&usual).unwrap_err().contains("nothing is left"));
        let enabled = MixOptions { enable: vec!["B".into()], ..MixOptions::default() };
        assert!(enabled.weights(&usual).unwrap_err().starts_with("`--enable` has no meaning"));
    }

    #[test]
    fn wrong_weights_are_reported() {
        for (wanted, words) in [
            (mix(&[("D", 1.0)]), "there are A, B, C"),
            (mix(&[("A", -1.0)]), "not a weight"),
            (mix(&[("A", f64::NAN)]), "not a weight"),
            (mix(&[("A", 0.0)]), "nothing is left"),
            (
                MixOptions { disable: vec!["E".into()], ..mix(&[("D", -1.0), ("A", -2.0)]) },
                "-1 is not a weight; -2 is not a weight; there are no types \"D\", \"E\": there are A, B, C",
            ),
            (
                MixOptions { preset: Some("x".into()), ..MixOptions::default() },
                "there are usual, other",
            ),
            (MixOptions { disable: vec!["Q".into()], ..MixOptions::default() }, "no type \"Q\""),
        ] {
            assert!(applied(&wanted).unwrap_err().contains(words), "{wanted:?}");
        }
    }
}
