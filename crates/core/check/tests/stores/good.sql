-- A store of a proof that the margin of 2x2 is -2.
PRAGMA application_id = 0x4b507266;
PRAGMA user_version = 1;
INSERT INTO proof (id, position, rules, all_moves, estimate, program)
VALUES (0, '<2,0,0,2,2,2,2> s', 'standard', 0, 0, 'by hand');
INSERT INTO goals (id, position, target, answer, expanded, nodes)
VALUES
    (0, '<2,0,0,2,2,2,2> s', 0, 0, 1, 0),
    (1, '<2,0,0,2,2,2,2> s', -2, 1, 0, 0),
    -- The moves A and B of goal 0.
    (2, '<2,0,0,0,3,2,2> s', -1, 0, 0, 0),
    (3, '<2,0,0,3,2,2,0> s', 3, 1, 0, 0),
    (4, '<2,0,0,1,0,1,0> s', 2, NULL, 0, 0);
