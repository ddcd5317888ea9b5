import type { SubRuleStep, TableStep, TerminalStep } from '@engine/authoring'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Assignments, type DetailsProps, putter, Section, Text, Way, Written } from './fields.tsx'

/** The code, message and output of a result. */
export function TerminalParts(props: DetailsProps & { readonly step: TerminalStep }) {
  const { editor } = useTexts()
  const { step } = props
  const put = putter(props)
  return (
    <>
      <Section title="result">
        <Text
          label={editor.code}
          value={step.code ?? ''}
          isCode
          change={put && ((code) => put(editor.editText(editor.code), { ...step, code }, 'code'))}
        />
        <div className="field">
          <span className="label">{editor.message}</span>
          <Written
            {...props}
            label={editor.message}
            value={step.message ?? ''}
            part="message"
            put={(message) => withoutEmpty({ ...step, message })}
          />
        </div>
      </Section>
      <Section title="output">
        <Assignments {...props} list={step.output ?? []} put={(output) => ({ ...step, output })} />
      </Section>
    </>
  )
}

function withoutEmpty({ message, ...rest }: TerminalStep): TerminalStep {
  return message === undefined || message.trim() === '' ? rest : { ...rest, message }
}

/** The sub-rule of a step, with its inputs and outputs. */
export function SubRuleParts(props: DetailsProps & { readonly step: SubRuleStep }) {
  const { editor, graph } = useTexts()
  const { step, subRules } = props
  const put = putter(props)
  const { bindings, outputs } = step
  return (
    <Section title="subRule">
      <label className="field">
        <span className="label">{editor.subRule}</span>
        <select
          className="input"
          value={step.refName ?? ''}
          disabled={put === undefined}
          onChange={({ target }) => put?.(editor.chooseSubRule, { ...step, refName: target.value }, 'ref')}
        >
          <option value="">{editor.nowhere}</option>
          {subRules.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {step.refName !== undefined && subRules.includes(step.refName) && (
        <div className="row wrap">
          <button type="button" className="btn" onClick={() => props.openSubRule(step.refName ?? '')}>
            <Icon name="sub_rule" size={14} />
            {graph.open}
          </button>
          {put !== undefined && (
            <button type="button" className="btn" onClick={props.inline}>
              {graph.inline}
            </button>
          )}
        </div>
      )}
      <Assignments
        {...props}
        list={bindings.map(({ field = '', expr = '' }) => ({ name: field, value: expr }))}
        put={(list) => ({ ...step, bindings: list.map(({ name = '', value = '' }) => ({ field: name, expr: value })) })}
      />
      {outputs.map((one, index) => (
        <div key={index} className="row">
          <Text
            label={editor.outOf}
            value={one.childVar ?? ''}
            isCode
            change={
              put &&
              ((childVar) =>
                put(editor.rename, { ...step, outputs: outputs.with(index, { ...one, childVar }) }, `child ${index}`))
            }
          />
          <Text
            label={editor.into}
            value={one.parentVar ?? ''}
            isCode
            change={
              put &&
              ((parentVar) =>
                put(editor.rename, { ...step, outputs: outputs.with(index, { ...one, parentVar }) }, `parent ${index}`))
            }
          />
        </div>
      ))}
      <Way {...props} exit={{ kind: 'next' }} />
    </Section>
  )
}

/** The size of a table, and a link to it. */
export function TableParts(props: DetailsProps & { readonly step: TableStep }) {
  const { editor } = useTexts()
  const { step, openTable } = props
  return (
    <Section title="table">
      <p className="muted">{editor.tableSize(step.rows.length, step.columns.length)}</p>
      <div>
        <button type="button" className="btn" onClick={openTable}>
          <Icon name="table" size={14} />
          {editor.openTable}
        </button>
      </div>
      <Way {...props} exit={{ kind: 'next' }} />
      <Way {...props} exit={{ kind: 'default' }} />
    </Section>
  )
}
