"""The import of the extension module, and optional packages.

The first import of this package imports the extension module.
"""

from kalah._imports.extension import import_extension

import_extension()
