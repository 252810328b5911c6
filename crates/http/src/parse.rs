//! Large bodies are read beside the event loop, small ones on it: a hop to another thread costs
//! more than they do.

use std::sync::Arc;

use duet_document::BodyForm;
use duet_model::{Error, Place};
use duet_service::Resource;
use duet_service::write::{check_body, check_json};

use crate::refusal::Refusal;
use crate::scope::Scope;

/// Bodies of more bytes are read beside the event loop.
const ON_THE_LOOP: usize = 64 << 10;

impl Scope<'_> {
    /// Reads something of a body.
    pub(crate) async fn parse<B, T>(
        &self,
        body: B,
        parse: impl FnOnce(&B) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Refusal>
    where
        B: AsRef<[u8]> + Send + 'static,
        T: Send + 'static,
    {
        let parsed = match body.as_ref().len() > ON_THE_LOOP {
            true => self.worker.shared.offload.run(move || parse(&body)).await?,
            false => parse(&body),
        };
        Ok(parsed.map_err(in_body)?)
    }

    /// A document or patch, checked against its resource.
    pub(crate) async fn checked(
        &self,
        resource: &Arc<Resource>,
        body: Arc<str>,
        form: BodyForm,
    ) -> Result<Arc<str>, Refusal> {
        let bounds = self.service().write_limits().bounds(0);
        let (resource, text) = (Arc::clone(resource), Text(Arc::clone(&body)));
        self.parse(text, move |text| check_body(&resource, &text.0, form, bounds)).await?;
        Ok(body)
    }

    /// A body that is JSON, with documents so many levels down.
    pub(crate) async fn checked_json(
        &self,
        body: Arc<str>,
        around: usize,
    ) -> Result<Arc<str>, Refusal> {
        let bounds = self.service().write_limits().bounds(around);
        let text = Text(Arc::clone(&body));
        self.parse(text, move |text| check_json(&text.0, bounds)).await?;
        Ok(body)
    }
}

/// A text as bytes.
struct Text(Arc<str>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// A byte position in what the body holds is one in the body.
pub(crate) fn in_body(mut error: Error) -> Error {
    if let Some(Place::Offset(offset)) = error.place {
        error.place = Some(Place::BodyOffset(offset));
    }
    error.map_others(in_body)
}
