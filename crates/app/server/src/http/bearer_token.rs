//! The bearer token of a request.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use kalah_store::PlayerToken;

/// The error of a request whose header `Authorization` holds no token of a player.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InvalidBearerToken;

/// Returns the bearer token of a request, if it has one.
///
/// # Errors
///
/// Returns [`InvalidBearerToken`] if the header `Authorization` holds no token of a player.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Result<Option<PlayerToken>, InvalidBearerToken> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    let token = match text {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => PlayerToken::parse(token),
        _ => None,
    };
    token.map(Some).ok_or(InvalidBearerToken)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn token_follows_the_word_bearer() {
        let token = PlayerToken::random();
        let parse = |value: String| {
            let value = HeaderValue::from_str(&value).expect("visible ASCII");
            bearer_token(&HeaderMap::from_iter([(AUTHORIZATION, value)]))
        };
        assert_eq!(bearer_token(&HeaderMap::new()), Ok(None));
        let text = token.reveal();
        for scheme in ["Bearer", "bearer"] {
            assert_eq!(parse(format!("{scheme} {text}")), Ok(Some(token.clone())));
        }
        for wrong in [
            text.clone(),
            format!("Basic {text}"),
            "Bearer xx".to_owned(),
        ] {
            assert_eq!(parse(wrong.clone()), Err(InvalidBearerToken), "{wrong}");
        }
    }
}
