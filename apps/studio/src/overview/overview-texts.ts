import { overview as en, type OverviewTexts } from '../texts/en/overview.ts'
import { useLanguage } from '../texts/texts.tsx'
import { overview as zh } from '../texts/zh/overview.ts'

const TEXTS = { en, zh } as const

/** The texts of the overview in the chosen language: no other page loads them. */
export const useOverviewTexts = (): OverviewTexts => TEXTS[useLanguage().language]
