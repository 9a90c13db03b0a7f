"""The optional packages, which `kalah` itself does not import."""


def missing(package: str, extra: str) -> str:
    """Returns the message of the `ImportError` for a missing optional package.

    >>> from kalah._imports.extras import missing
    >>> missing("pyarrow", "parquet")
    'pyarrow is not installed: install kalah with the extra `parquet`, or pyarrow itself'
    """
    return (
        f"{package} is not installed: install kalah with the extra `{extra}`, or {package} itself"
    )
