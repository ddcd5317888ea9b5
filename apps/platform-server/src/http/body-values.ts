import { ValueAllowance } from '@engine/expression'

/** Maximum number of JSON values in one body, in any format; more are answered with 413 during parsing. */
const MAX_BODY_VALUES = 1_000_000

/** Creates the allowance of one body. */
export const bodyValues = (max = MAX_BODY_VALUES): ValueAllowance => new ValueAllowance(max)
