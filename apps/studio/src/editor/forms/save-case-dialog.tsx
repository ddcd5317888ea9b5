import { useState } from 'react'
import { useIds } from '../../frame/route-scope.ts'
import { EXPECTED_PARTS, expectationOf } from '../../saved-tests/expectation.ts'
import { addTest, replaceTest, type SavedTest } from '../../saved-tests/saved-test.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormBox } from '../../ui/form.tsx'
import { short } from '../../ui/json-text.ts'
import { inputOf, type Simulation } from '../state/simulation.ts'

interface SaveCaseBoxProps {
  readonly name: string
  readonly simulation: Simulation
  readonly cases: readonly SavedTest[]
  readonly close: () => void
}

/** Saves the current execution as a test; check boxes select the expected parts of the result. */
export function SaveCaseBox({ name, simulation: { run, executed, stubs }, cases, close }: SaveCaseBoxProps) {
  const { editor, savedTests: texts } = useTexts()
  const place = { ...useIds(), name }
  const [taken, setTaken] = useState<SavedTest>()
  const outcome = {
    code: run?.code ?? null,
    message: run?.message ?? null,
    output: run?.output ?? null,
    error: run?.error?.message,
  }
  const flag = (part: (typeof EXPECTED_PARTS)[number]) =>
    ({ name: part, label: texts.holds(texts.parts[part], short(outcome[part], 60)), kind: 'flag' }) as const
  const ticks = outcome.code === null ? [] : EXPECTED_PARTS.map(flag)
  const replace = { name: 'replace', label: texts.replace, kind: 'flag' } as const
  return (
    <FormBox
      title={editor.saveCase}
      close={close}
      fields={[{ name: 'name', label: editor.caseName }, ...ticks, ...(taken === undefined ? [] : [replace])]}
      initial={{ code: true, message: true, output: true }}
      submit={editor.saveCase}
      send={async (values) => {
        const parts = new Set(EXPECTED_PARTS.filter((part) => values[part]))
        if (outcome.code !== null && parts.size === 0) throw new Error(texts.nothingCounts)
        const answers = Object.keys(stubs).length === 0 ? {} : { stubs }
        const expect = expectationOf(outcome, parts)
        const added = { name: values.name, input: { ...inputOf(executed) }, ...answers, expect }
        const known = cases.find((one) => one.name === values.name)
        if (known !== undefined && (!values.replace || known.id !== taken?.id)) {
          setTaken(known)
          throw new Error(`${texts.taken} ${texts.takenText}`)
        }
        if (known === undefined) await addTest(place, added)
        else await replaceTest(place, { ...known, ...added })
        close()
      }}
    >
      {outcome.code !== null && <p className="muted">{texts.whatCounts}</p>}
    </FormBox>
  )
}
