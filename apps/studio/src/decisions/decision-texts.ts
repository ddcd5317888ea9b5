import {
  decisions as en,
  decisionRecord as recordEn,
  type DecisionRecordTexts,
  type DecisionTexts,
} from '../texts/en/decisions.ts'
import { useLanguage } from '../texts/texts.tsx'
import { decisions as zh, decisionRecord as recordZh } from '../texts/zh/decisions.ts'

const TEXTS = { en, zh } as const
const RECORD_TEXTS = { en: recordEn, zh: recordZh } as const

/** The texts of recorded decisions in the selected language; no other page loads them. */
export const useDecisionTexts = (): DecisionTexts => TEXTS[useLanguage().language]
export const useDecisionRecordTexts = (): DecisionRecordTexts => RECORD_TEXTS[useLanguage().language]
