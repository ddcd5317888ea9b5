import { ValueAllowance } from '@engine/expression'

/** Values that the JSON of one body may have, whatever form it arrives in; more are 413 while they are read. */
const MAX_BODY_VALUES = 1_000_000

/** What one body may have. */
export const bodyValues = (max = MAX_BODY_VALUES): ValueAllowance => new ValueAllowance(max)
