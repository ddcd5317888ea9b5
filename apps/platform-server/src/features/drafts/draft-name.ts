import { refuseName } from '@engine/ruleset'
import { failures } from '../../errors.ts'
import { isCandidate } from '../engines/candidate-names.ts'

/** Throws 400 for an invalid ruleset name. @param path JSON pointer of the name in the body */
export function requireName(name: string, path: string): void {
  const reason = refuseName(name)
  if (reason !== undefined) throw failures.invalid(path, `is not a ruleset name: ${reason}`, 'bad-name')
  if (isCandidate(name))
    throw failures.invalid(path, 'must not end in `.r` and digits: candidates of releases have such names', 'bad-name')
}
