//! Offers of a player to the other player: a takeback or a rematch.

use kalah::PlayerId;
use kalah_store::Offer;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::games::command_error::CommandError;

/// The action of a player on an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OfferAction {
    /// Make an offer.
    Offer,
    /// Accept the offer of the other player.
    Accept,
    /// Decline the offer of the other player.
    Decline,
    /// Withdraw the own offer.
    Withdraw,
}

/// The effect of an action that was not rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferEffect {
    /// The offer has changed.
    Changed,
    /// The action repeats an earlier one. Nothing has changed.
    Repeated,
    /// The offer of the other player is accepted.
    Accepted,
}

/// Applies the action of `player` to an offer. An offer to a player who has an open offer accepts
/// that one. A player whose offer was declined cannot repeat it.
///
/// # Errors
/// Returns the reason of a rejected action, and leaves the offer unchanged.
pub(crate) fn act(
    offer: &mut Option<Offer>,
    player: PlayerId,
    action: OfferAction,
) -> Result<OfferEffect, CommandError> {
    let is_own = offer.is_some_and(|offer| offer.by == player);
    let is_declined = offer.map(|offer| offer.is_declined);
    match (action, is_declined) {
        (OfferAction::Offer, Some(false)) if is_own => Ok(OfferEffect::Repeated),
        (OfferAction::Offer | OfferAction::Accept, Some(false)) if !is_own => {
            Ok(OfferEffect::Accepted)
        }
        (OfferAction::Offer, Some(true)) if is_own => Err(CommandError::OfferDeclined),
        (OfferAction::Offer, _) => {
            *offer = Some(Offer {
                by: player,
                is_declined: false,
            });
            Ok(OfferEffect::Changed)
        }
        (OfferAction::Decline, Some(true)) if !is_own => Ok(OfferEffect::Repeated),
        (OfferAction::Decline, Some(false)) if !is_own => {
            if let Some(offer) = offer {
                offer.is_declined = true;
            }
            Ok(OfferEffect::Changed)
        }
        (OfferAction::Withdraw, Some(false)) if is_own => {
            *offer = None;
            Ok(OfferEffect::Changed)
        }
        _ => Err(CommandError::NoOffer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: PlayerId = PlayerId::ALL[0];
    const B: PlayerId = PlayerId::ALL[1];

    /// Returns the effect of each action, and the last offer.
    fn run(
        actions: &[(PlayerId, OfferAction)],
    ) -> (Vec<Result<OfferEffect, CommandError>>, Option<Offer>) {
        let mut offer = None;
        let effects = actions
            .iter()
            .map(|&(player, action)| act(&mut offer, player, action));
        (effects.collect(), offer)
    }

    #[test]
    fn offer_is_accepted_by_the_other_player_only() {
        use OfferAction::{Accept, Decline, Offer, Withdraw};
        use OfferEffect::{Accepted, Changed, Repeated};
        let none = || Err(CommandError::NoOffer);
        let declined = || Err(CommandError::OfferDeclined);
        for (actions, effects) in [
            (
                vec![(A, Accept), (A, Decline), (A, Withdraw)],
                vec![none(), none(), none()],
            ),
            (
                vec![(A, Offer), (A, Offer), (A, Accept)],
                vec![Ok(Changed), Ok(Repeated), none()],
            ),
            (
                vec![(A, Offer), (B, Accept)],
                vec![Ok(Changed), Ok(Accepted)],
            ),
            (
                vec![(A, Offer), (B, Offer)],
                vec![Ok(Changed), Ok(Accepted)],
            ),
            (
                vec![
                    (A, Offer),
                    (B, Decline),
                    (B, Decline),
                    (A, Offer),
                    (B, Accept),
                    (B, Offer),
                ],
                vec![
                    Ok(Changed),
                    Ok(Changed),
                    Ok(Repeated),
                    declined(),
                    none(),
                    Ok(Changed),
                ],
            ),
            (
                vec![
                    (A, Offer),
                    (B, Withdraw),
                    (A, Withdraw),
                    (A, Withdraw),
                    (A, Offer),
                ],
                vec![Ok(Changed), none(), Ok(Changed), none(), Ok(Changed)],
            ),
        ] {
            assert_eq!(run(&actions).0, effects, "{actions:?}");
        }
    }
}
