import { engines as en, type EngineTexts } from '../texts/en/engines.ts'
import { useLanguage } from '../texts/texts.tsx'
import { engines as zh } from '../texts/zh/engines.ts'

const TEXTS = { en, zh } as const

/** The texts of engines in the selected language; only their pages load them. */
export const useEngineTexts = (): EngineTexts => TEXTS[useLanguage().language]
