import { call } from '../../api/client.ts'
import { keyOf, queryClient } from '../../api/data.ts'
import { useIds } from '../../frame/place.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormBox } from '../../ui/form.tsx'
import { inputOf, type Simulation } from '../state/simulation.ts'

const TESTS = '/api/v1/orgs/{oid}/projects/{pid}/rulesets/{name}/tests'

interface SaveCaseBoxProps {
  readonly name: string
  readonly simulation: Simulation
  readonly close: () => void
}

/** Saves the current execution as a case. */
export function SaveCaseBox({ name, simulation: { run, executed }, close }: SaveCaseBoxProps) {
  const { editor } = useTexts()
  const path = { ...useIds(), name }
  return (
    <FormBox
      title={editor.saveCase}
      close={close}
      fields={[{ name: 'name', label: editor.caseName }]}
      submit={editor.saveCase}
      send={async (values) => {
        const expect = run?.code === null ? { error: run.error?.message ?? '' } : { code: run?.code ?? '' }
        await call('post', TESTS, {
          path,
          body: { name: values.name, input: { ...inputOf(executed) }, expect },
        })
        await queryClient.invalidateQueries({ queryKey: keyOf(TESTS) })
        close()
      }}
    />
  )
}
