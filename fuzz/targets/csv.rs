//! Feeds arbitrary bytes to the reader of CSV. Run with `cargo +nightly fuzz run csv`.
//!
//! Checked: no panic; however the bytes are cut into chunks, the records, their lines and the fault are the same. The
//! first byte is the length of the chunks, the second the form.
#![no_main]

use duet_document::bulk::{CsvForm, CsvReader, Fault, Fields, LineEnd};
use libfuzzer_sys::fuzz_target;

type Read = (u64, Vec<(Vec<u8>, bool)>);

fuzz_target!(|bytes: &[u8]| {
    let [size, form, body @ ..] = bytes else { return };
    let line_end = match form % 3 {
        0 => LineEnd::Any,
        1 => LineEnd::Feed,
        _ => LineEnd::Return,
    };
    let quote = (form & 4 == 0).then_some(b'"');
    let form = CsvForm { delimiter: if form & 8 == 0 { b',' } else { b';' }, quote, line_end };
    let whole = read(form, [body]);
    assert_eq!(read(form, body.chunks(usize::from(*size).max(1))), whole);
});

fn read<'c>(
    form: CsvForm,
    chunks: impl IntoIterator<Item = &'c [u8]>,
) -> (Vec<Read>, Option<Fault>) {
    let mut reader = CsvReader::new(form, 1 << 14);
    let mut records = Vec::new();
    for mut chunk in chunks {
        loop {
            match reader.next(&mut chunk) {
                Ok(Some(fields)) => records.push(owned(&fields)),
                Ok(None) => break,
                Err(fault) => return (records, Some(fault)),
            }
        }
    }
    match reader.finish() {
        Ok(last) => {
            records.extend(last.map(|fields| owned(&fields)));
            (records, None)
        }
        Err(fault) => (records, Some(fault)),
    }
}

fn owned(fields: &Fields<'_>) -> Read {
    let field = |index| fields.get(index).map(|(bytes, quoted)| (bytes.to_vec(), quoted));
    (fields.line, (0..fields.len()).filter_map(field).collect())
}
