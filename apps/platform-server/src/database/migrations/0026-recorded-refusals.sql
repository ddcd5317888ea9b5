-- Inputs that a contract refused: `RecordedViolation[]` instead of a code.
alter table recorded_decisions add column violations json;
alter table recorded_decisions alter column code drop not null;
alter table recorded_decisions add constraint recorded_decisions_outcome check ((code is null) = (violations is not null));
