import { useLanguage } from '../texts/texts.tsx'

const DAY_MS = 24 * 3600 * 1000
const SHORT_MS = 10 * 60 * 1000

/**
 * A formatter for the times of a chart: with seconds for a range of minutes, with the time of day for a range of a day,
 * otherwise with the date.
 */
export function useMoment(times: readonly number[]): (time: number | undefined) => string {
  const { language } = useLanguage()
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
  const format = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    ...(span > DAY_MS && { day: '2-digit', month: '2-digit' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(span < SHORT_MS && { second: '2-digit' }),
  })
  return (time) => (time === undefined ? '' : format.format(time))
}
