import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { useList } from '../api/data.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { useGo } from '../ui/link.tsx'
import { type Command, offered } from './commands.ts'
import { DOCUMENTATION } from './documentation.ts'
import { useIds } from './route-scope.ts'
import { best } from './ranking.ts'
import { chooseTheme } from './theme.ts'

interface PaletteProps {
  /** True to search only the steps of the open ruleset, by all their text. */
  readonly isOfSteps: boolean
  /** Stops collecting keys, and returns the text typed before the field had the focus. */
  readonly endTypeAhead: () => string
  readonly close: () => void
}

/** The command palette: pages, projects, rulesets, facts, and the commands of the open page. */
export function Palette({ isOfSteps, endTypeAhead, close }: PaletteProps) {
  const { frame } = useTexts()
  const all = useCommands()
  const items = useMemo(() => (isOfSteps ? all.filter(({ text }) => text !== undefined) : all), [all, isOfSteps])
  const hint = isOfSteps ? frame.stepsHint : frame.searchHint
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const found = useMemo(() => best(items, typed, 50), [items, typed])
  const pick = (command: Command | undefined) => {
    if (command === undefined) return
    close()
    command.run()
  }
  const onKey = (event: KeyboardEvent) => {
    const way = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) pick(found[at]?.item)
    if (way === 0) return
    event.preventDefault()
    const next = Math.max(0, Math.min(found.length - 1, at + way))
    setAt(next)
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(isOpen) => isOpen || close()}>
      <Modal className="dialog palette">
        <Dialog aria-label={frame.search}>
          <input
            autoFocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={found[at] === undefined ? undefined : `palette-${at}`}
            aria-label={hint}
            placeholder={hint}
            value={typed}
            onFocus={() => setTyped((old) => old + endTypeAhead())}
            onChange={({ target }) => {
              setTyped(target.value)
              setAt(0)
            }}
            onKeyDown={onKey}
          />
          <div role="listbox" id="palette-list" ref={list} aria-label={frame.results}>
            {found.map(({ item: command, line }, index) => (
              <div
                key={command.id}
                id={`palette-${index}`}
                role="option"
                aria-selected={index === at}
                onPointerMove={() => setAt(index)}
                onClick={() => pick(command)}
              >
                <Icon name={command.icon} />
                <span>{command.label}</span>
                {line !== undefined && <code className="line">{line}</code>}
                <span className="kind">{command.kind}</span>
              </div>
            ))}
          </div>
          {found.length === 0 && <p className="muted">{frame.nothingFound}</p>}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function useCommands(): readonly Command[] {
  const { frame, nav } = useTexts()
  const go = useGo()
  const { oid, pid } = useIds()
  const project = { path: { oid, pid } }
  const inProject = { enabled: pid !== '' }
  const rulesets = useList('/api/v1/orgs/{oid}/projects/{pid}/rulesets', project, inProject).items
  const facts = useList('/api/v1/orgs/{oid}/projects/{pid}/facts', project, inProject).items
  const contracts = useList('/api/v1/orgs/{oid}/projects/{pid}/contracts', project, inProject).items
  const projects = useList('/api/v1/orgs/{oid}/projects', { path: { oid } }).items
  return useMemo(() => {
    const page = (label: string, to: string): Command => ({
      id: to,
      label,
      kind: frame.page,
      icon: 'right',
      run: () => go(to),
    })
    return [
      ...offered(),
      ...(rulesets ?? []).map(({ name }): Command => {
        const to = paths.ruleset(oid, pid, name)
        return { id: to, label: name, kind: nav.ruleset, icon: 'branch', run: () => go(to) }
      }),
      ...(pid === ''
        ? []
        : [
            page(nav.overview, paths.overview(oid, pid)),
            page(nav.rulesets, paths.rulesets(oid, pid)),
            page(nav.importRules, paths.import(oid, pid)),
            page(nav.deletedRulesets, paths.deletedRulesets(oid, pid)),
            page(nav.tests, paths.tests(oid, pid)),
            page(nav.decisions, paths.decisions(oid, pid)),
            page(nav.releases, paths.releases(oid, pid)),
            page(nav.environments, paths.environments(oid, pid)),
            page(nav.contracts, paths.contracts(oid, pid)),
            page(nav.facts, paths.facts(oid, pid)),
            page(nav.concepts, paths.concepts(oid, pid)),
            page(nav.integrate, paths.integrate(oid, pid)),
            page(nav.projectSettings, paths.projectSettings(oid, pid)),
          ]),
      page(nav.projects, paths.organization(oid)),
      page(nav.inbox, paths.inbox(oid)),
      page(nav.engines, paths.engines(oid)),
      page(nav.members, paths.members(oid)),
      page(nav.roles, paths.roles(oid)),
      page(nav.invitations, paths.invitations(oid)),
      page(nav.keys, paths.keys(oid)),
      page(nav.audit, paths.audit(oid)),
      page(nav.settings, paths.settings(oid)),
      page(nav.account, paths.account(oid)),
      ...(projects ?? []).map(({ id, name }): Command => {
        const to = paths.overview(oid, id)
        return { id: `project ${id}`, label: name, kind: nav.project, icon: 'layout', run: () => go(to) }
      }),
      ...(contracts ?? []).map(({ name }): Command => {
        const to = paths.contract(oid, pid, name)
        return { id: to, label: name, kind: nav.contract, icon: 'link', run: () => go(to) }
      }),
      ...(facts ?? []).map(({ name }): Command => {
        const to = paths.facts(oid, pid)
        return { id: `fact ${name}`, label: name, kind: nav.fact, icon: 'fact', run: () => go(to) }
      }),
      {
        id: 'documentation',
        label: frame.documentation,
        kind: frame.command,
        icon: 'book',
        run: () => void open(DOCUMENTATION, '_blank', 'noopener'),
      },
      {
        id: 'light',
        label: `${frame.theme}: ${frame.themes.light}`,
        kind: frame.command,
        icon: 'sun',
        run: () => chooseTheme('light'),
      },
      {
        id: 'dark',
        label: `${frame.theme}: ${frame.themes.dark}`,
        kind: frame.command,
        icon: 'moon',
        run: () => chooseTheme('dark'),
      },
    ]
  }, [rulesets, facts, contracts, projects, frame, nav, go, oid, pid])
}
