//! The modifiers of relations that RMB takes.

use duet_model::{Code, Result};
use duet_text::problem::{fault, quoted};

use super::super::modifiers::unsupported;
use super::super::sign::Sign;
use super::super::tree::{Modifier, Symbol};

/// What the modifiers of a relation say. Those about case and accents are taken and say nothing: the declaration
/// decides.
#[derive(Debug, Default)]
pub(super) struct Modifiers<'a> {
    /// Whether there are any.
    pub(super) are_given: bool,
    /// Whether values are compared as numbers.
    pub(super) number: bool,
    /// Those of elements of an array.
    pub(super) elements: Vec<ElementModifier<'a>>,
}

/// `@name=value`, or `@name`: another member that is searched.
#[derive(Debug)]
pub(super) struct ElementModifier<'a> {
    /// The name without the sign, in lower case.
    pub(super) name: &'a str,
    pub(super) value: Option<&'a Symbol>,
    pub(super) at: usize,
}

/// The modifiers of relations and sort keys, for messages.
pub(super) const KNOWN: &str = "ignoreCase, respectCase, ignoreAccents, respectAccents, string, number, \
                                sort.ascending, sort.descending, masked, and of arrays @member";

impl<'a> Modifiers<'a> {
    pub(super) fn read(modifiers: &'a [Modifier]) -> Result<Self> {
        let mut read = Self { are_given: !modifiers.is_empty(), ..Self::default() };
        for modifier in modifiers {
            if let Some(name) = modifier.name.strip_prefix('@') {
                read.elements.push(of_elements(modifier, name)?);
                continue;
            }
            match modifier.name.as_str() {
                "number" => read.number = true,
                "string" | "masked" | "sort.ascending" | "sort.descending" => {}
                "ignorecase" | "respectcase" | "ignoreaccents" | "respectaccents" => {}
                _ => return Err(unsupported(modifier, KNOWN)),
            }
        }
        Ok(read)
    }
}

fn of_elements<'a>(modifier: &'a Modifier, name: &'a str) -> Result<ElementModifier<'a>> {
    let value = match &modifier.value {
        Some((Sign::Equal, value)) => Some(value),
        None => None,
        Some((sign, _)) => {
            let message = format!(
                "The modifier {} compares with `=`, not with `{}`.",
                quoted(&modifier.name),
                sign.as_str()
            );
            return Err(fault(Code::FilterUnsupported, modifier.at.0, message));
        }
    };
    Ok(ElementModifier { name, value, at: modifier.at.0 })
}
