import { useLanguage } from '../texts/texts.tsx'
import { subRules as en, type SubRuleTexts } from '../texts/en/sub-rules.ts'
import { subRules as zh } from '../texts/zh/sub-rules.ts'

const TEXTS = { en, zh } as const

/** The texts of shared sub-rules in the chosen language: no other page loads them. */
export const useSubRuleTexts = (): SubRuleTexts => TEXTS[useLanguage().language]
