import { useIds } from '../frame/route-scope.ts'
import { paths } from '../paths.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Go } from '../ui/link.tsx'
import { useAgo } from '../texts/ago.ts'
import { isWaiting } from './board.ts'
import { useOverviewTexts } from './overview-texts.ts'
import type { ProjectState } from './project-state.ts'

interface Item {
  readonly key: string
  readonly icon: IconName
  readonly tone: 'accent' | 'cand' | 'bad' | 'warn' | 'live'
  readonly title: string
  readonly text: string
  readonly to: string
  /** True for items that wait for the user, which are shown larger. */
  readonly isMine?: boolean
}

const MAX_ITEMS = 4

/** Up to four items that need attention, those that wait for the user first. */
export function Attention({ state }: { readonly state: ProjectState }) {
  const texts = useOverviewTexts()
  const items = useItems(state)
  return (
    <section className="card needs" aria-label={texts.needs}>
      {items.length === 0 ? (
        <p className="row">
          <Icon name="ok" />
          {texts.nothing}
        </p>
      ) : (
        items.slice(0, MAX_ITEMS).map(({ key, icon, tone, title, text, to, isMine }) => (
          <Go key={key} to={to} data-mine={isMine === true ? '' : undefined}>
            <span className="needs-icon" data-tone={tone}>
              <Icon name={icon} />
            </span>
            <b>{title}</b>
            <small>{text}</small>
          </Go>
        ))
      )}
    </section>
  )
}

function useItems({ releases, rolling, forMe, servers, environments, tests }: ProjectState): readonly Item[] {
  const texts = useOverviewTexts()
  const { oid, pid } = useIds()
  const ago = useAgo()
  const toRelease = (number: number) => paths.release(oid, pid, number)
  const waiting = releases.filter(isWaiting)
  const mine = waiting.filter(({ id }) => forMe.has(id))
  const startable = waiting.filter(({ allowed }) => allowed.includes('execute'))
  const others = waiting.filter((one) => !mine.includes(one) && !startable.includes(one))
  const red = tests?.rulesets.flatMap(({ name, results }) =>
    results.filter(({ passed }) => !passed).map((one) => ({ test: one.name, ruleset: name })),
  )
  const [firstRed] = red ?? []
  return [
    ...mine.map(({ id, number, title }): Item => ({
      key: id,
      icon: 'shield',
      tone: 'accent',
      title: texts.approve(number),
      text: title,
      to: toRelease(number),
      isMine: true,
    })),
    ...startable.map(({ id, number, title }): Item => ({
      key: id,
      icon: 'rocket',
      tone: 'accent',
      title: texts.start(number),
      text: title,
      to: toRelease(number),
      isMine: true,
    })),
    ...rolling.map(({ release, percent, execution }): Item => ({
      key: release.id,
      icon: 'rocket',
      tone: 'cand',
      title:
        release.status === 'paused'
          ? texts.paused(release.number)
          : release.status === 'rolling_back'
            ? texts.rollingBack(release.number)
            : texts.runs(release.number, percent),
      text: execution?.stage?.verdict ? texts.decisions[execution.stage.verdict.decision] : release.title,
      to: toRelease(release.number),
    })),
    ...(firstRed === undefined
      ? []
      : [
          {
            key: 'tests',
            icon: 'test',
            tone: 'bad',
            title: texts.red(red?.length ?? 0),
            text: texts.redIn(firstRed.test, firstRed.ruleset),
            to: paths.tests(oid, pid),
          } as const,
        ]),
    ...servers.flatMap(({ id, name, status, last_heartbeat: last }): readonly Item[] => {
      const served = environments.filter(({ server_ids: ids }) => ids.includes(id)).map((one) => one.name)
      if (status === 'online' || served.length === 0) return []
      return [
        {
          key: id,
          icon: 'server',
          tone: 'warn',
          title: texts.silent(name, last === null ? undefined : ago(last)),
          text: texts.serves(served.join(', ')),
          to: paths.engine(oid, id),
        },
      ]
    }),
    ...others.map(({ id, number, title }): Item => ({
      key: id,
      icon: 'rocket',
      tone: 'live',
      title: texts.waits(number),
      text: title,
      to: toRelease(number),
    })),
  ]
}
