import { useMemo } from 'react'
import { useLanguage } from '../texts/texts.tsx'

/** A moment by weekday and time of day: `Friday 16:00`. */
export function useClock(): (iso: string) => string {
  const { language } = useLanguage()
  const format = useMemo(
    () =>
      new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
        weekday: 'long',
        hour: '2-digit',
        minute: '2-digit',
      }),
    [language],
  )
  return (iso) => format.format(new Date(iso))
}
