import type { DraftRuleset, DraftStep } from '@engine/authoring'
import type { KeyboardEvent } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import type { Visit } from '../graph-editor/trace.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

const TYPES = ['decision', 'table', 'action', 'terminal', 'sub_rule'] as const satisfies readonly DraftStep['type'][]

interface OutlineProps {
  readonly draft: DraftRuleset
  readonly selected: string | undefined
  readonly visits: ReadonlyMap<string, Visit> | undefined
  readonly problems: ReadonlyMap<string, number>
  readonly select: (id: string) => void
  /** Undefined: nothing may be changed. */
  readonly add: ((type: DraftStep['type']) => void) | undefined
}

const rowId = (id: string) => `outline-${id}`

/** All steps as a list: the graph for screen readers, and for finding one by name. */
export function Outline({ draft: { steps }, selected, visits, problems, select, add }: OutlineProps) {
  const { editor, canvas } = useTexts()
  const onKey = (event: KeyboardEvent) => {
    const at = steps.findIndex(({ id }) => id === selected)
    const to = { ArrowDown: steps[at + 1], ArrowUp: steps[at - 1], Home: steps[0], End: steps.at(-1) }[event.key]
    if (to === undefined) return
    event.preventDefault()
    select(to.id)
    requestAnimationFrame(() => document.getElementById(rowId(to.id))?.focus())
  }
  return (
    <div className="outline">
      <div className="row">
        <h2>{editor.steps(steps.length)}</h2>
        <span className="grow" />
        {add !== undefined && (
          <MenuTrigger>
            <Button className="btn icon" data-kind="quiet" aria-label={editor.addStep}>
              <Icon name="plus" />
            </Button>
            <Popover className="menu" placement="bottom start">
              <Menu aria-label={editor.addStep} onAction={(type) => add(type as DraftStep['type'])}>
                {TYPES.map((type) => (
                  <MenuItem key={type} id={type}>
                    <span style={{ color: `var(--k-${type})` }}>
                      <Icon name={type} />
                    </span>
                    {canvas.kinds[type]}
                  </MenuItem>
                ))}
              </Menu>
            </Popover>
          </MenuTrigger>
        )}
      </div>
      <div role="tree" aria-label={editor.stepsInOrder} onKeyDown={onKey}>
        {steps.map(({ id, name, type }, index) => (
          <div
            key={id}
            id={rowId(id)}
            role="treeitem"
            aria-selected={id === selected}
            tabIndex={id === selected || (selected === undefined && index === 0) ? 0 : -1}
            onClick={() => select(id)}
          >
            <span style={{ color: `var(--k-${type})` }}>
              <Icon name={type} size={13} />
            </span>
            <span className="vh">{canvas.kinds[type]}</span>
            <span className="words">{name ?? id}</span>
            {(problems.get(id) ?? 0) > 0 && (
              <span className="tag" data-tone="bad">
                {problems.get(id)}
                <span className="vh">{editor.problemsWord}</span>
              </span>
            )}
            {visits?.has(id) === true && (
              <span className="tag" data-tone="ok">
                {visits.get(id)?.order}
              </span>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}
