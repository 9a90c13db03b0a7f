#[cfg(test)]
mod report;
