-- `RecordedCall[]`: the external calls of a decision with their answers, masked; null: they were not recorded.
alter table recorded_decisions add column calls json;
