import { FUNCTION_GROUPS } from './functions/groups.ts'
import { addFunctions } from './functions/index.ts'

// The entry of the package has the whole language, `core.ts` only its core.
addFunctions(...FUNCTION_GROUPS)
