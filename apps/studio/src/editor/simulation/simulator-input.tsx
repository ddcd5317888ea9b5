import { useId, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { pretty } from '../../ui/json-text.ts'
import { useInputFields } from './input-fields.ts'
import { InputForm } from './input-form.tsx'
import { useEditor } from '../state/editor-context.ts'

/** The input as a form and as JSON: two views of one value. */
export function SimulatorInput() {
  const { draft, surroundings, simulation, cases, checks } = useEditor()
  const { simulator } = useTexts()
  const id = useId()
  const [isForm, setForm] = useState(true)
  const { text, input, write, execute } = simulation
  const fields = useInputFields(draft, surroundings)
  return (
    <div className="stack" tabIndex={0} role="region" aria-label={simulator.input}>
      <div className="row">
        <div className="seg" role="group" aria-label={simulator.input}>
          <button type="button" aria-current={isForm ? 'true' : undefined} onClick={() => setForm(true)}>
            {simulator.form}
          </button>
          <button type="button" aria-current={isForm ? undefined : 'true'} onClick={() => setForm(false)}>
            {simulator.json}
          </button>
        </div>
        <span className="grow" />
        {cases.length > 0 && (
          <select
            className="input"
            style={{ width: 170 }}
            aria-label={simulator.savedCase}
            value=""
            onChange={({ target }) => {
              const { input: given = {}, stubs = {} } = cases[Number(target.value)] ?? {}
              void execute(pretty(given), stubs)
            }}
          >
            <option value="">{simulator.savedCase}</option>
            {cases.map(({ name }, index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      {isForm && input !== undefined ? (
        <InputForm
          fields={fields}
          input={input}
          isBroken={checks.problems.some(({ severity }) => severity === 'error')}
          change={(changed) => write(pretty(changed))}
        />
      ) : (
        <div className="field grow">
          <label className="vh" htmlFor={id}>
            {simulator.json}
          </label>
          <textarea
            id={id}
            className="input"
            rows={8}
            value={text}
            spellCheck={false}
            onChange={({ target }) => write(target.value)}
          />
        </div>
      )}
    </div>
  )
}
