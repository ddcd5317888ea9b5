import type { ConvertedDraft } from '@engine/authoring'
import type { Ruleset } from '@engine/ruleset'
import { convertSubject } from './check.ts'
import type { Subject, Unexecuted } from './tasks.ts'

/** A draft that engines can execute. */
export interface Executable {
  readonly kind: 'executable'
  readonly ruleset: Ruleset
  readonly converted: ConvertedDraft
  readonly places: ConvertedDraft['editorStep']
}

/** The draft in the form that an engine would execute. */
export function executable(subject: Subject): Executable | Unexecuted {
  const converted = convertSubject(subject)
  const { problems, editorStep: places } = converted
  const ruleset = converted.decoded()
  if (ruleset === undefined || problems.some(({ severity }) => severity === 'error'))
    return { kind: 'problems', problems }
  return { kind: 'executable', ruleset, converted, places }
}
