import { FUNCTION_GROUPS } from './functions/groups.ts'
import { addFunctions } from './functions/index.ts'

// The package's main entry has all functions, `core.ts` only the core ones.
addFunctions(...FUNCTION_GROUPS)
