import { useMemo } from 'react'
import { useGet } from '../api/data.ts'
import type { components } from '../api/schema.ts'
import { useIds } from '../frame/route-scope.ts'
import { useLanguage, useTime } from '../texts/texts.tsx'
import { Pending } from '../ui/states.tsx'
import { usePolicyTexts } from './policy-texts.ts'

type FrozenTime = components['schemas']['FrozenTime']
const DAY_MS = 86_400_000
/** Maximum number of months in 90 days. */
const MONTHS = 4

/** The freeze windows of the next 90 days, as months and as a list. */
export function FreezeCalendar() {
  const texts = usePolicyTexts()
  const { oid, pid } = useIds()
  const found = useGet('/api/v1/orgs/{oid}/projects/{pid}/freeze-windows', { path: { oid, pid } })
  return (
    <section className="card">
      <header>
        <h2>{texts.calendar}</h2>
      </header>
      <div className="body stack">
        <p className="muted">{texts.calendarText}</p>
        {found.data === undefined ? (
          <Pending of={found} />
        ) : found.data.items.length === 0 ? (
          <p>{texts.noWindows}</p>
        ) : (
          <>
            <Months times={found.data.items} />
            <Times times={found.data.items} />
          </>
        )}
      </div>
    </section>
  )
}

function Times({ times }: { readonly times: readonly FrozenTime[] }) {
  const texts = usePolicyTexts()
  const time = useTime()
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={texts.calendar}>
      <table className="list stacked">
        <thead>
          <tr>
            <th scope="col">{texts.from}</th>
            <th scope="col">{texts.to}</th>
            <th scope="col">{texts.environment}</th>
            <th scope="col">{texts.policy}</th>
          </tr>
        </thead>
        <tbody>
          {times.map(({ environment, policy, policy_id: id, from, to }) => (
            <tr key={environment + id + from}>
              <td data-title={texts.from} className="tnum">
                {time(from)}{' '}
                {Date.parse(from) <= Date.now() && (
                  <span className="tag" data-tone="warn">
                    {texts.now}
                  </span>
                )}
              </td>
              <td data-title={texts.to} className="tnum">
                {time(to)}
              </td>
              <td data-title={texts.environment}>{environment}</td>
              <td data-title={texts.policy}>{policy}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The days of the months from the current one; the list below has the times. */
function Months({ times }: { readonly times: readonly FrozenTime[] }) {
  const { language } = useLanguage()
  const tag = language === 'zh' ? 'zh-CN' : 'en-GB'
  const months = useMemo(() => {
    const now = new Date()
    return Array.from({ length: MONTHS }, (_, index) => new Date(now.getFullYear(), now.getMonth() + index, 1))
  }, [])
  const title = new Intl.DateTimeFormat(tag, { month: 'long', year: 'numeric' })
  return (
    <div className="months" aria-hidden="true">
      {months.map((first) => (
        <div key={first.getTime()} className="month">
          <b>{title.format(first)}</b>
          <div className="days">
            {daysOf(first).map(({ day, column }) => (
              <span
                key={day.getTime()}
                className="day tnum"
                data-frozen={isFrozen(day, times) ? '' : undefined}
                style={{ gridColumn: column }}
              >
                {day.getDate()}
              </span>
            ))}
          </div>
        </div>
      ))}
    </div>
  )
}

/** The days of a month with their grid columns, Monday first. */
function daysOf(first: Date): readonly { readonly day: Date; readonly column: number }[] {
  const count = new Date(first.getFullYear(), first.getMonth() + 1, 0).getDate()
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(first.getFullYear(), first.getMonth(), index + 1)
    return { day, column: ((day.getDay() + 6) % 7) + 1 }
  })
}

/** Whether a window overlaps a day. */
const isFrozen = (day: Date, times: readonly FrozenTime[]): boolean =>
  times.some(({ from, to }) => Date.parse(from) < day.getTime() + DAY_MS && Date.parse(to) > day.getTime())
