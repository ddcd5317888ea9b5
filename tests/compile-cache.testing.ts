import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Threads that tests start use the compiled code of those before them, as those of the programs do.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
