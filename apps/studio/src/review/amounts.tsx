import { useNumbers } from '../texts/texts.tsx'
import { SpreadChart } from '../ui/small-charts.tsx'
import type { ReplaySummary } from './release-parts.ts'
import { useReviewTexts } from './review-texts.ts'
import { spreadBars } from './spread-bars.ts'

type Amount = ReplaySummary['amounts'][number]

/** The output that most decisions change, and the distribution of its changes. */
export function Spread({
  amounts,
  unitOf,
}: {
  readonly amounts: readonly Amount[]
  readonly unitOf: (output: string) => string
}) {
  const texts = useReviewTexts()
  const { signed, number } = useNumbers()
  const changes = ({ spread = [] }: Amount) => spread.reduce((sum, one) => sum + one.count, 0)
  const [most] = amounts.filter((one) => changes(one) > 0).toSorted((one, other) => changes(other) - changes(one))
  if (most === undefined) return null
  const bars = spreadBars(most, {
    change: signed,
    same: texts.spread.same,
    less: texts.spread.less,
    more: texts.spread.more,
  })
  const title = texts.spread.title(most.output, unitOf(most.output))
  return (
    <div className="spread">
      <h3>{title}</h3>
      <SpreadChart
        label={`${title}: ${bars.map(({ name, count }) => `${name}: ${number(count)}`).join(', ')}`}
        change={texts.spread.change}
        counts={texts.decisions}
        bars={bars}
      />
    </div>
  )
}

/** The effect on amounts: numbers that both versions return, and their changes. */
export function Amounts({
  amounts,
  unitOf,
}: {
  readonly amounts: readonly Amount[]
  readonly unitOf: (output: string) => string
}) {
  const texts = useReviewTexts()
  const { number, signed } = useNumbers()
  return (
    <section className="card" aria-label={texts.amounts}>
      <header>
        <h2>{texts.amounts}</h2>
        <span className="muted">{texts.amountsText}</span>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label={texts.amountsText}>
        <table className="list stacked">
          <thead>
            <tr>
              <th scope="col">{texts.amount}</th>
              {[texts.decisions, texts.meanBefore, texts.meanAfter, texts.total, texts.largest].map((title) => (
                <th key={title} scope="col" className="num">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {amounts.map(({ output, count, before, after, largest }) => {
              const unit = unitOf(output)
              const withUnit = (text: string) => (unit === '' ? text : `${text} ${unit}`)
              return (
                <tr key={output}>
                  <td data-title={texts.amount}>
                    <b>{output}</b>
                  </td>
                  <td data-title={texts.decisions} className="num">
                    {number(count)}
                  </td>
                  <td data-title={texts.meanBefore} className="num">
                    {withUnit(number(before.mean))}
                  </td>
                  <td data-title={texts.meanAfter} className="num">
                    <b className="cand">{withUnit(number(after.mean))}</b>
                  </td>
                  <td data-title={texts.total} className="num">
                    <b>{withUnit(signed(after.sum - before.sum))}</b>
                  </td>
                  <td data-title={texts.largest} className="num">
                    {withUnit(signed(largest.change))}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}
