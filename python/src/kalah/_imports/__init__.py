"""Imports the extension module when this package is first imported.

`extras` has the messages about missing optional packages.
"""

from kalah._imports.extension import import_extension

import_extension()
