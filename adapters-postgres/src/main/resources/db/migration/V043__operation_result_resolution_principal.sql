-- As in operation.
ALTER TABLE operation_result
  ADD COLUMN resolution_principal varchar(300) COLLATE "C";
