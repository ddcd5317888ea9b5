import type { DecisionStep } from '@engine/authoring'
import { ConditionRows } from '../../conditions/condition-rows.tsx'
import { useNotation } from '../../ui/notation.ts'
import type { Visit } from '../../graph-editor/trace.ts'
import { freshId } from '../../session/new-draft.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type DetailsProps, putter, Section, Way, Written } from './fields.tsx'
import { ValueList } from '../../ui/value-list.tsx'

type Branch = DecisionStep['branches'][number]

/** The branches of a decision, with the evaluations of an execution. */
export function DecisionParts(props: DetailsProps & { readonly step: DecisionStep }) {
  const { editor, conditions } = useTexts()
  const notation = useNotation()
  const { step, visit } = props
  const put = putter(props)
  const { branches } = step
  return (
    <Section title="branches">
      {branches.map((branch, index) => (
        <div key={branch.id} className="branch" data-taken={visit?.port === `branch:${branch.id}` ? '' : undefined}>
          <div className="row branch-head">
            <span className="number tnum">{index + 1}</span>
            <input
              className="branch-name"
              aria-label={editor.labelOf(index + 1)}
              placeholder={editor.branch(index + 1)}
              value={branch.label ?? ''}
              readOnly={put === undefined}
              onChange={({ target }) =>
                put?.(
                  editor.label,
                  { ...step, branches: branches.with(index, labelled(branch, target.value)) },
                  `label ${branch.id}`,
                )
              }
            />
            {put !== undefined && (
              <button
                type="button"
                className="btn icon"
                data-kind="quiet"
                aria-label={editor.removeBranch(index + 1)}
                onClick={() =>
                  put(
                    editor.removeBranch(index + 1),
                    { ...step, branches: branches.filter(({ id }) => id !== branch.id) },
                    `-${branch.id}`,
                  )
                }
              >
                <Icon name="trash" size={14} />
              </button>
            )}
          </div>
          {notation === 'words' && (
            <ConditionRows
              label={conditions.rowsOf(index + 1)}
              text={branch.condition ?? ''}
              known={props.known}
              change={
                put &&
                ((condition) =>
                  put(
                    editor.editText(editor.condition(index + 1)),
                    { ...step, branches: branches.with(index, { ...branch, condition }) },
                    `rows ${branch.id} ${condition}`,
                  ))
              }
            />
          )}
          <Written
            {...props}
            label={editor.condition(index + 1)}
            value={branch.condition ?? ''}
            put={(condition) => ({ ...step, branches: branches.with(index, { ...branch, condition }) })}
            part={`condition ${branch.id}`}
          />
          <Found visit={visit} index={index} />
          <Way {...props} exit={{ kind: 'branch', id: branch.id }} />
        </div>
      ))}
      <Way {...props} exit={{ kind: 'default' }} />
      {put !== undefined && (
        <div>
          <button
            type="button"
            className="btn"
            onClick={() => {
              const id = freshId(
                'b',
                branches.map((one) => one.id),
              )
              put(editor.addBranch, { ...step, branches: [...branches, { id, condition: 'true' }] }, `+${id}`)
            }}
          >
            <Icon name="plus" size={14} />
            {editor.addBranch}
          </button>
        </div>
      )}
    </Section>
  )
}

/** The branch with a new label; an empty label is removed. */
function labelled({ label: _before, ...branch }: Branch, label: string): Branch {
  return label === '' ? branch : { ...branch, label }
}

/** The values that a branch was evaluated with. */
function Found({ visit, index }: { readonly visit: Visit | undefined; readonly index: number }) {
  const tried = visit?.step.branches?.find(({ path }) => path.endsWith(`/branches/${index}`))
  return tried === undefined ? null : <ValueList values={tried.fields} />
}
