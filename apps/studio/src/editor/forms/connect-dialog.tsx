import { connect, type DraftRuleset } from '@engine/authoring'
import { exitOf, type Port, shapeOf } from '../../graph-editor/shape.ts'
import { stepChoice } from '../../graph-editor/step-name.ts'
import { useTexts } from '../../texts/texts.tsx'
import { FormBox } from '../../ui/form.tsx'
import type { Apply } from '../state/editing.ts'

interface ConnectBoxProps {
  readonly draft: DraftRuleset
  /** Id of the step with the exit. */
  readonly from: string
  readonly apply: Apply
  readonly close: () => void
}

/** A dialog that connects an exit of a step without drawing an edge. */
export function ConnectBox({ draft: { steps }, from, apply, close }: ConnectBoxProps) {
  const { editor, canvas } = useTexts()
  const step = steps.find(({ id }) => id === from)
  const ports = step === undefined ? [] : shapeOf(step).ports
  const wordsOf = ({ exit, text }: Port, index: number) =>
    exit.kind === 'default' ? canvas.otherwise : exit.kind === 'next' ? canvas.onward : `${index + 1}. ${text ?? ''}`
  return (
    <FormBox
      title={editor.connect}
      close={close}
      fields={[
        {
          name: 'exit',
          label: editor.exit,
          kind: 'select',
          options: ports.map((port, index) => ({ value: port.id, label: wordsOf(port, index) })),
        },
        {
          name: 'target',
          label: editor.goTo,
          kind: 'select',
          options: steps.filter(({ id }) => id !== from).map((one) => ({ value: one.id, label: stepChoice(one) })),
        },
      ]}
      submit={editor.connect}
      send={async (values) => {
        const exit = exitOf(values.exit)
        if (exit !== undefined) apply(editor.connect, (old) => connect(old, { step: from, exit }, values.target))
        close()
      }}
    />
  )
}
