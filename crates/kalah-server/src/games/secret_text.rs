use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Bytes of an identity or a secret: 128 bits, which nobody guesses.
pub(super) const BYTES: usize = 16;

/// Characters of the same as text.
pub(super) const TEXT_LENGTH: usize = 22;

/// New random bytes.
///
/// # Panics
/// If the system has no randomness to give: then no game can be made that is safe from others.
pub(super) fn random() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).expect("a system with randomness");
    bytes
}

/// The bytes as text that can stand in an address: base64url without padding.
pub(super) fn encode(bytes: &[u8; BYTES]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a text made by [`write`], `None` for any other text.
pub(super) fn decode(text: &str) -> Option<[u8; BYTES]> {
    if text.len() != TEXT_LENGTH {
        return None;
    }
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_and_nothing_else_does() {
        let bytes = random();
        assert_ne!(bytes, random());
        let text = encode(&bytes);
        assert_eq!((text.len(), decode(&text)), (TEXT_LENGTH, Some(bytes)));
        for text in [
            "",
            "AAAA",
            "AAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAAAB",
            "AAAAAAAAAAAAAAAAAAAA+A",
            "ÄÄÄÄÄÄÄÄÄÄÄ",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
