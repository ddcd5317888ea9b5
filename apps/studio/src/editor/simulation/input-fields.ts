import type { DraftRuleset, InputField } from '@engine/authoring'
import { useEffect, useState } from 'react'
import { ask } from '../../language/language.ts'
import type { Surroundings } from '../../language/tasks.ts'

/** The fields of the contract, otherwise those that the rules read. */
export function useInputFields(draft: DraftRuleset, surroundings: Surroundings): readonly InputField[] {
  const { contract } = surroundings
  const [derived, setDerived] = useState<readonly InputField[]>([])
  const isDeclared = contract !== undefined
  useEffect(() => {
    let isCurrent = true
    if (!isDeclared)
      void ask('derive', { draft, ...surroundings }).then(
        (found) => isCurrent && found !== undefined && setDerived(found.input.fields),
        () => undefined,
      )
    return () => void (isCurrent = false)
  }, [draft, surroundings, isDeclared])
  return contract?.input.fields ?? derived
}
