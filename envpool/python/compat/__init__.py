# SPDX-License-Identifier: Apache-2.0
"""What exists only for scripts that were written for the released EnvPool.

import_paths.py makes the classes that these scripts import from families. The other modules can also be imported as
`envpool.python.api`, `envpool.python.data` and `envpool.python.lax`, because this folder is in the `__path__` of
`envpool.python`.
"""
