use kalah::{CaptureRule, EndRule, Position, Rules};

/// What a table is about: the houses of a side, and the rules as far as they matter once a game has begun.
///
/// ```
/// use kalah::Rules;
/// use kalah_tables::Variant;
/// // A swap and the first sowing come before any table.
/// assert_eq!(Variant::new(6, Rules::MANKALAH), Variant::new(6, Rules::STANDARD));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    houses: u8,
    ends: EndRule,
    capture: CaptureRule,
}

impl Variant {
    /// The variant of boards with so many houses a side under these rules.
    pub fn new(houses: u8, rules: Rules) -> Self {
        Self {
            houses,
            ends: rules.ends,
            capture: rules.capture,
        }
    }

    /// The variant that a position is of.
    pub fn from_position(position: &Position) -> Self {
        Self::new(position.houses(), position.rules())
    }

    /// Houses a side.
    pub fn houses(self) -> u8 {
        self.houses
    }

    /// What the file of a table about this is called: what it holds, in words.
    ///
    /// ```
    /// use kalah::Rules;
    /// use kalah_tables::Variant;
    /// let variant = Variant::new(6, Rules::MANKALAH);
    /// assert_eq!(variant.file_name(24), "kalah-6-houses-24-seeds-standard.table");
    /// ```
    pub fn file_name(self, seeds: u8) -> String {
        let rules = self.rules();
        let unnamed = || {
            let [(_, ends), (_, capture), ..] = rules.fields();
            format!("ends-{ends}-capture-{capture}")
        };
        let rules = rules
            .preset()
            .map_or_else(unnamed, |preset| preset.name.to_owned());
        let (houses, extension) = (self.houses, Self::FILE_EXTENSION);
        format!("kalah-{houses}-houses-{seeds}-seeds-{rules}.{extension}")
    }

    /// What the names of table files end with, behind a dot.
    pub const FILE_EXTENSION: &str = "table";

    /// Rules of this variant, without a swap and with a bonus turn from the first sowing on.
    pub fn rules(self) -> Rules {
        Rules {
            ends: self.ends,
            capture: self.capture,
            ..Rules::CS32
        }
    }
}
